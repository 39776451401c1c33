// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_slip_wall_h
#define saltus_operators_flow_kernels_slip_wall_h

#include <saltus/operators/elliptic/kernels/boundary_element.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/physics/incompressible_flow.h>

namespace Saltus
{
  /// What the viscous operator has at slip walls beside the form of single components, which these
  /// terms couple. `out += terms`.
  template <int dim, typename Number>
  struct SlipWallArguments
  {
    using value_type = Number;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;
    StoredArrays<Number>  stored; ///< with metrics on faces

    const FlowBoundary *kinds     = nullptr; ///< `[b]`
    const Number       *penalties = nullptr; ///< `[block][f][l]`
    const Number       *u         = nullptr;
    Number             *out       = nullptr;
  };

  /// These terms for one element: those of a homogeneous Dirichlet condition for the normal part of
  /// u.
  template <GeometryKind kind, int dim, typename Number>
  class SlipWallElement : BoundaryElement<kind, dim, Number, dim>
  {
    using Base      = BoundaryElement<kind, dim, Number, dim>;
    using Arguments = SlipWallArguments<dim, Number>;
    using Base::elements;
    using Base::geometry;
    using Base::tables;
    using typename Base::Direction;
    using typename Base::Face;

  public:
    SALTUS_HOST_DEVICE
    SlipWallElement(const Arguments                     &arg,
                    const QuadratureTables<dim, Number> &tables,
                    const int                            element)
      : Base(arg.mesh, arg.stored, tables, element)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run() const
    {
      this->for_boundary_faces([&](const int f, const int b, Face &face) {
        if (arg.kinds[b] == FlowBoundary::slip)
          add_wall(f, face);
      });
    }

  private:
    SALTUS_HOST_DEVICE
    void
    add_wall(const int f, Face &face) const
    {
      const Number penalty   = arg.penalties[point_index(elements[0], f, tables.n_faces(), 1)];
      const auto   set_terms = [&](const int                        q,
                                 const int                        point,
                                 Direction                       &along,
                                 InteriorPenaltyTerms<Direction> &terms) {
        const auto &map = geometry.at_face_point(f, q);
        for (int i = 0; i < dim; ++i) // the derivative in the direction of the normal
          along[i] = dot<dim>(map.metric(i), face.normal);
        Number value = 0, derivative = 0; // of the normal part
        for (int m = 0; m < tables.n_modes(); ++m)
          {
            Number mode = 0;
            for (int d = 0; d < dim; ++d)
              mode += face.normal[d] * arg.u[this->index(m) + d];
            value += mode * tables.face_value(point, m);
            derivative += mode * this->mode_flux(along, point, m);
          }
        const auto of_normal_part = interior_penalty_boundary<Number>(
          EllipticBoundary::dirichlet, value, derivative, penalty, 0, 0);
        for (int d = 0; d < dim; ++d)
          {
            terms.value[d] = of_normal_part.value * face.normal[d];
            terms.flux[d]  = of_normal_part.flux * face.normal[d];
          }
      };
      this->add_face(f, face, 1, set_terms, arg.out);
    }

    const Arguments &arg;
  };

  /// See FlowFamily. Few elements are at the boundary: one at a time.
  template <int dim_, typename Number>
  struct SlipWallFamily
  {
    using Arguments = SlipWallArguments<dim_, Number>;

    template <GeometryKind kind, typename, int, typename>
    using Element = SlipWallElement<kind, dim_, Number>;

    static constexpr int dim = dim_, max_degree = max_laplace_degree(dim);
  };
} // namespace Saltus

#endif
