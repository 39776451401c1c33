// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_penalty_element_h
#define saltus_operators_flow_kernels_penalty_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/flow/kernels/flow_launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// `out = (M + divergence_factor D + jump_factor J) u` with the mass matrix M and the matrices of
  /// PenaltyOperator, without what is in front of |mean velocity| there. A factor that is 0 saves
  /// the work.
  template <int dim, typename Number>
  struct PenaltyArguments
  {
    using value_type = Number;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;

    const Number *speeds  = nullptr; ///< `[block][l]`, with ghosts: |mean velocity|
    const Number *lengths = nullptr; ///< `[block][l]`: h / (p + 1)

    Number        divergence_factor = 0;
    Number        jump_factor       = 0;
    const Number *u                 = nullptr;
    Number       *out               = nullptr; ///< must differ from u

    /// In front of the divergences in element @p e.
    SALTUS_HOST_DEVICE
    Number
    divergence_penalty(const int e) const
    {
      const std::size_t place = point_index(e, 0, 1, 1);
      return divergence_factor * speeds[place] * lengths[place];
    }

    /// In front of the jumps on a face of element @p e. Boundary faces have none.
    SALTUS_HOST_DEVICE
    Number
    jump_penalty(const int e, const FaceRecord &across) const
    {
      const Number here   = speeds[point_index(e, 0, 1, 1)];
      const Number beyond = speeds[point_index(across.element_across(e), 0, 1, 1)];
      return across.at_boundary() ? Number(0) : jump_factor * (here + beyond) / 2;
    }
  };

  /// The penalty operator on an ElementGroup, by quadrature. Both back ends run this code, GPUs
  /// where they have no faster one.
  template <int dim, typename T, typename Number, int width, typename Tables>
  class PenaltyElement : ElementGroup<dim, T, Number, width, Tables>
  {
    using Group = ElementGroup<dim, T, Number, width, Tables>;
    using Group::batch;
    using Group::elements;
    using Group::face_value;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    PenaltyElement(const PenaltyArguments<dim, Number> &arg, const Tables &tables, const int first)
      : Group(arg.mesh, tables, first)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int d = 0; d < dim; ++d)
          r[m][d] = T(Number(0));
      if (arg.divergence_factor > 0)
        add_divergence();
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        u[m] = mode(elements, m);
      if (arg.jump_factor > 0)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
          for (int f = 0; f < tables.n_faces(); ++f)
            add_jumps(f);
        }
      write();
    }

  private:
    SALTUS_HOST_DEVICE
    Direction
    mode(const int *of, const int m) const
    {
      Direction result;
      for (int l = 0; l < width; ++l)
        {
          const std::size_t place = coefficient_index(of[l], m, tables.n_modes(), dim);
          for (int d = 0; d < dim; ++d)
            set_lane(result[d], l, arg.u[place + d]);
        }
      return result;
    }

    /// In reference directions, in which the divergence is the sum of three derivatives.
    SALTUS_HOST_DEVICE
    void
    add_divergence()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          const Direction here = mode(elements, m);
          for (int i = 0; i < dim; ++i)
            u[m][i] = dot<dim>(geometry.metric(i), here);
        }
      T penalty;
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.divergence_penalty(elements[l]));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          T divergence = T(Number(0));
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int i = 0; i < dim; ++i)
              divergence = divergence + T(tables.volume_gradient(q, i, m)) * u[m][i];
          divergence = T(tables.volume_weight(q)) * penalty * divergence;
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int i = 0; i < dim; ++i)
              r[m][i] = r[m][i] + T(tables.volume_gradient(q, i, m)) * divergence;
        }
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        r[m] = geometry.gradient([&](const int i) { return r[m][i]; });
    }

    SALTUS_HOST_DEVICE
    void
    add_jumps(const int f)
    {
      const Face face = this->face(f);
      T          penalty;
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.jump_penalty(elements[l], face.across[l]));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int first = 0; first < tables.n_face_points(); first += batch)
        {
          int points[batch];
          T   jump[batch];
          this->set_batch(first, points);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            jump[i] = T(Number(0));
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              const T normal_part = dot<dim>(u[m], face.normal);
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                jump[i] = jump[i] + face_value(f, points[i], m) * normal_part;
            }
          subtract_outside(face, points, jump);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            jump[i] = this->batch_weight(face, first + i, points[i]) * penalty * jump[i];
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              T sum = face_value(f, points[0], m) * jump[0];
              SALTUS_UNROLL
              for (int i = 1; i < batch; ++i)
                sum = sum + face_value(f, points[i], m) * jump[i];
              for (int d = 0; d < dim; ++d)
                r[m][d] = r[m][d] + sum * face.normal[d];
            }
        }
    }

    /// The normal parts of the neighbours' values at @p points of a face.
    SALTUS_HOST_DEVICE
    void
    subtract_outside(const Face &face, const int *points, T *values) const
    {
      this->for_modes_across(
        face,
        points,
        [&](const int m)
          SALTUS_INLINE_LAMBDA { return dot<dim>(mode(face.neighbors, m), face.normal); },
        [&](const int i, const T &value, const T &normal_part)
          SALTUS_INLINE_LAMBDA { values[i] = values[i] - value * normal_part; });
    }

    SALTUS_HOST_DEVICE
    void
    write() const
    {
      const T mass = geometry.volume_factor();
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int d = 0; d < dim; ++d)
              arg.out[coefficient_index(elements[l], m, tables.n_modes(), dim) + d] =
                get_lane(mass, l) * (get_lane(u[m][d], l) + get_lane(r[m][d], l));
        }
    }

    const PenaltyArguments<dim, Number> &arg;
    Direction                            u[Tables::max_modes];
    Direction                            r[Tables::max_modes]; ///< without the mass matrix
  };

  /// See FlowFamily.
  template <int dim_, typename Number>
  struct PenaltyFamily
  {
    using Arguments = PenaltyArguments<dim_, Number>;

    template <typename T, int width, typename Tables>
    using Element = PenaltyElement<dim_, T, Number, width, Tables>;

    static constexpr int         dim = dim_, max_degree = max_flow_degree(dim);
    static constexpr const char *name = "penalty operator";
  };
} // namespace Saltus

#endif
