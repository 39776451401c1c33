// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_viscous_boundary_h
#define saltus_operators_flow_kernels_viscous_boundary_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/element_group.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/physics/incompressible_flow.h>

namespace Saltus
{
  /// What the viscous operator has at boundaries beside the form of single components: slip walls,
  /// for which this couples them, and boundary data. `out += scale terms`.
  template <int dim, typename Number>
  struct ViscousBoundaryArguments
  {
    using value_type = Number;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;

    const FlowBoundary *kinds = nullptr; ///< `[b]`
    /// `[b][q][d]`: velocities and, at outflows, their normal derivatives; nullptr: none
    const Number *data      = nullptr;
    const Number *penalties = nullptr; ///< `[block][f][l]`

    const Number *u     = nullptr; ///< for slip walls; nullptr: none
    Number        scale = 1;
    Number       *out   = nullptr;
  };

  /// These terms for one element: those of interior_penalty_boundary() that belong to the data g
  /// and, on a slip wall, those of a Dirichlet condition for the normal part of u.
  template <int dim, typename Number>
  class ViscousBoundaryElement : ElementGroup<dim, Number, Number, 1, QuadratureTables<dim, Number>>
  {
    using Tables = QuadratureTables<dim, Number>;
    using Group  = ElementGroup<dim, Number, Number, 1, Tables>;
    using Group::batch;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;

  public:
    SALTUS_HOST_DEVICE
    ViscousBoundaryElement(const ViscousBoundaryArguments<dim, Number> &arg,
                           const Tables                                &tables,
                           const int                                    element)
      : Group(arg.mesh, tables, element)
      , arg(arg)
      , start(coefficient_index(element, 0, tables.n_modes(), dim))
    {}

    SALTUS_HOST_DEVICE
    void
    run() const
    {
      for (int f = 0; f < tables.n_faces(); ++f)
        {
          const auto face = this->face(f);
          const int  b    = face.across[0].boundary_face();
          if (b >= 0 &&
              (arg.kinds[b] == FlowBoundary::slip ? arg.u != nullptr : arg.data != nullptr))
            add_face(f, b, face);
        }
    }

  private:
    /// By batches of points, since every mode of the result is read and written for each.
    SALTUS_HOST_DEVICE
    void
    add_face(const int f, const int b, const Face &face) const
    {
      const Number scale   = arg.scale * geometry.volume_factor();
      const Number penalty = arg.penalties[point_index(elements[0], f, tables.n_faces(), 1)];
      Direction    along; // the normal derivative in reference coordinates
      for (int i = 0; i < dim; ++i)
        along[i] = dot<dim>(geometry.metric(i), face.normal);
      for (int first = 0; first < tables.n_face_points(); first += batch)
        {
          int       points[batch];
          Direction jump[batch], flux[batch];
          this->set_batch(first, points);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              const int q = points[i], point = f * tables.n_face_points() + q;
              if (arg.kinds[b] == FlowBoundary::slip)
                set_normal_part(point, face.normal, along, jump[i], flux[i]);
              else
                set_data(b, q, jump[i], flux[i]);
              const Number weight = scale * this->batch_weight(face, first + i, q);
              for (int d = 0; d < dim; ++d)
                {
                  flux[i][d] = weight * (2 * penalty * jump[i][d] - flux[i][d]);
                  jump[i][d] *= weight;
                }
            }
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              Direction sum{};
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                {
                  const int    point      = f * tables.n_face_points() + points[i];
                  const Number derivative = normal_derivative(along, point, m);
                  for (int d = 0; d < dim; ++d)
                    sum[d] +=
                      flux[i][d] * this->face_value(f, points[i], m) - jump[i][d] * derivative;
                }
              for (int d = 0; d < dim; ++d)
                arg.out[start + m * mode_stride(dim) + d] += sum[d];
            }
        }
    }

    /// The part of the data in jump and flux.
    SALTUS_HOST_DEVICE
    void
    set_data(const int b, const int q, Direction &jump, Direction &flux) const
    {
      const std::size_t first    = (static_cast<std::size_t>(b) * tables.n_face_points() + q) * dim;
      const bool        velocity = arg.kinds[b] == FlowBoundary::velocity;
      for (int d = 0; d < dim; ++d)
        {
          const Number given = arg.data[first + d];
          jump[d]            = velocity ? -given : Number(0);
          flux[d]            = velocity ? Number(0) : given;
        }
    }

    SALTUS_HOST_DEVICE
    Number
    normal_derivative(const Direction &along, const int point, const int m) const
    {
      Number sum = 0;
      for (int i = 0; i < dim; ++i)
        sum += along[i] * tables.face_gradient(point, i, m);
      return sum;
    }

    /// Of u and of its normal derivative.
    SALTUS_HOST_DEVICE
    void
    set_normal_part(const int        point,
                    const Direction &normal,
                    const Direction &along,
                    Direction       &of_u,
                    Direction       &of_derivative) const
    {
      Number value = 0, derivative = 0;
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          Number mode = 0;
          for (int d = 0; d < dim; ++d)
            mode += normal[d] * arg.u[start + m * mode_stride(dim) + d];
          value += mode * tables.face_value(point, m);
          derivative += mode * normal_derivative(along, point, m);
        }
      for (int d = 0; d < dim; ++d)
        {
          of_u[d]          = value * normal[d];
          of_derivative[d] = derivative * normal[d];
        }
    }

    const ViscousBoundaryArguments<dim, Number> &arg;
    const std::size_t                            start;
  };

  /// See FlowFamily. Few elements are at the boundary: one at a time.
  template <int dim_, typename Number>
  struct ViscousBoundaryFamily
  {
    using Arguments = ViscousBoundaryArguments<dim_, Number>;

    template <typename, int, typename>
    using Element = ViscousBoundaryElement<dim_, Number>;

    static constexpr int         dim = dim_, max_degree = max_laplace_degree(dim);
    static constexpr const char *name = "boundary terms of the viscous operator";
  };
} // namespace Saltus

#endif
