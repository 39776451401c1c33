// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_cpu_stage_h
#define saltus_operators_conservation_law_kernels_cpu_stage_h

// The fused Runge-Kutta stage of a conservation law on simplices on the CPU. Included by
// cpu_kernels.h.
//
//   u_neighbor  [m][c]  pack  coefficients across a face, see CpuStageGroup for the others
// As faces have the same number on both sides, all lanes use the same entry of a table at the same
// time: it is an operand of the arithmetic. Points are worked on in batches whose states fit into
// registers. Groups with a face that has another number on its other side read the neighbours'
// tables lane by lane.

#include <saltus/operators/conservation_law/kernels/cpu_stage_group.h>

namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// Modes of the largest element: complete degree 7 in 3D.
  constexpr int max_modes = 120;

  /// Instead of a degree: sizes are known when the program runs, and for every quadrature.
  constexpr int any_degree = -1;

  /// On a face, for any_degree: of the largest symmetric rule on triangles.
  constexpr int most_face_points = Simplex<2>::n_quadrature_points(14);

  /// Numbers of modes and points of the default quadrature, 0 for any_degree.
  template <int dim, int degree>
  struct StageSizes
  {
    static constexpr bool fixed   = degree >= 0;
    static constexpr int  n_faces = Simplex<dim>::n_faces;
    static constexpr int  n_modes = fixed ? Simplex<dim>::n_modes(degree) : 0;
    static constexpr int  nv      = fixed ? Simplex<dim>::n_quadrature_points(2 * degree) : 0;
    static constexpr int  nf = fixed ? Simplex<dim - 1>::n_quadrature_points(2 * degree + 1) : 0;

    /// Points of a face whose states across are computed together.
    static constexpr int max_nf = fixed ? nf : most_face_points;

    static constexpr int most_modes = fixed ? n_modes : max_modes;

    template <typename Number>
    static bool
    fit(const ElementTables<Number> &tables)
    {
      return tables.n_modes == n_modes && tables.n_volume_points == nv &&
             tables.n_face_points == nf && tables.n_faces == n_faces;
    }
  };

  /// One stage of a law: the residual of groups of elements, and the update.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CpuStage : private CpuStageGroup<Law, Number, StageSizes<Law::dimension, degree>, kind>
  {
    using Sizes = StageSizes<Law::dimension, degree>;
    using Group = CpuStageGroup<Law, Number, Sizes, kind>;
    using Group::admissible;
    using Group::arg;
    using Group::at_boundary;
    using Group::copy;
    using Group::dim;
    using Group::faces_across;
    using Group::matched;
    using Group::n_components;
    using Group::n_face_points;
    using Group::n_modes;
    using Group::n_numbers;
    using Group::n_volume_points;
    using Group::orientations;
    using Group::r;
    using Group::tables;
    using Group::u;
    using Group::width;
    using typename Group::Arguments;
    using typename Group::Field;
    using typename Group::Geometry;
    using typename Group::Mask;
    using typename Group::State;
    using typename Group::T;
    using typename Group::Vector;

    /// Points worked on together: their states fit into the registers, 32 or 16, beside others.
    static constexpr int n_registers = SALTUS_ISA_LEVEL == 4 ? 20 : 12;
    static constexpr int max_batch   = n_components > n_registers / 2
                                         ? 1
                                         : (n_components == 1 ? 8 : n_registers / n_components);

  public:
    using Group::Group;

    /// All elements of block @p block.
    void
    run(const int block)
    {
      Group::run_groups(block, [&](const Geometry &geometry) {
        add_volume(geometry);
        for (int face = 0; face < Group::n_faces(); ++face)
          add_face(face, geometry);
        if constexpr (!Geometry::is_constant)
          apply_inverse_mass(geometry);
      });
    }

  private:
    /// Call `body(size, first)` for batches of points that together are @p n, where `size` is a
    /// StaticNumber.
    /// @tparam n_fixed @p n where it is known at compile time, else 0
    template <int n_fixed, typename Body>
    static inline __attribute__((always_inline)) void
    for_batches(const int n, const Body &body)
    {
      constexpr int n_batches = (n_fixed + max_batch - 1) / max_batch;
      constexpr int size      = n_fixed > 0 ? (n_fixed + n_batches - 1) / n_batches : max_batch;
      constexpr int rest      = n_fixed > 0 ? n_fixed % size : 1;

      int q = 0;
      for (; q + size <= n; q += size)
        body(StaticNumber<size>(), q);
      if constexpr (rest > 0)
        for (; q < n; q += rest)
          body(StaticNumber<rest>(), q);
    }

    /// States at @p n_points points from rows `[q][m]` of basis values.
    template <int n_points>
    inline __attribute__((always_inline)) void
    interpolate(const Number *rows, const T *coefficients, State *states) const
    {
      State sums[n_points];
      for (int q = 0; q < n_points; ++q)
        for (int c = 0; c < n_components; ++c)
          sums[q][c] = T(rows[q * n_modes()]) * coefficients[c];
      for (int m = 1; m < n_modes(); ++m)
        for (int q = 0; q < n_points; ++q)
          for (int c = 0; c < n_components; ++c)
            sums[q][c] =
              sums[q][c] + T(rows[q * n_modes() + m]) * coefficients[m * n_components + c];
      for (int q = 0; q < n_points; ++q)
        copy(sums[q], states[q]);
    }

    /// \f$ r_m \mathrel{-}= \sum_i \text{row}_{im} f_i \f$ for the modes from @p first_mode on.
    template <int n>
    inline __attribute__((always_inline)) void
    subtract(const Number *rows, const State *values, const int first_mode)
    {
      for (int m = first_mode; m < n_modes(); ++m)
        {
          State sum;
          for (int c = 0; c < n_components; ++c)
            sum[c] = r[m * n_components + c];
          for (int i = 0; i < n; ++i)
            for (int c = 0; c < n_components; ++c)
              sum[c] = sum[c] - T(rows[i * n_modes() + m]) * values[i][c];
          for (int c = 0; c < n_components; ++c)
            r[m * n_components + c] = sum[c];
        }
    }

    /// \f$ r_m \mathrel{+}= \sum_q \sum_r \partial_r\phi_m(q) w_q F(u_q)\cdot\nabla\hat x_r \f$.
    void
    add_volume(const Geometry &geometry)
    {
      for_batches<Sizes::nv>(
        n_volume_points(), [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
          constexpr int n_points = decltype(size)::value;
          State         states[n_points], fluxes[n_points * dim];
          interpolate<n_points>(tables.volume_values + q0 * n_modes(), u, states);
          for (int q = 0; q < n_points; ++q)
            {
              admissible        = admissible & arg.law.admissible(states[q]);
              const Field field = Group::load_field(arg.fields.volume, q0 + q, n_volume_points());
              const T     factor(-tables.volume_weights[q0 + q]);
              for (int d = 0; d < dim; ++d)
                {
                  const Vector metric = geometry.metric(q0 + q, d);
                  Vector       direction; // fluxes are linear in it
                  for (int k = 0; k < dim; ++k)
                    direction[k] = factor * metric[k];
                  fluxes[q * dim + d] = arg.law.flux(states[q], field, direction);
                }
            }
          // The first mode is constant.
          subtract<n_points * dim>(tables.volume_gradients + q0 * dim * n_modes(), fluxes, 1);
        });
    }

    /// \f$ r_m \mathrel{-}= |F|/\det J \sum_q w_q \phi_m(q) \hat F(u^-_q, u^+_q, n) \f$.
    void
    add_face(const int face, const Geometry &geometry)
    {
      Group::find_neighbors(face);
      Group::gather(arg.u, Group::neighbors, u_neighbor);
      const auto set_normal = [&](const int q, Vector &normal) {
        return geometry.set_normal(
          face, q, [&](const int r) { return tables.face_normals[face * dim + r]; }, normal);
      };
      Vector normal_of_face;
      T      area_of_face;
      if constexpr (Geometry::is_constant)
        area_of_face = set_normal(0, normal_of_face);
      State across[Sizes::max_nf];
      // Lane by lane otherwise, which takes several times as long.
      const bool together = matched && n_face_points() <= Sizes::max_nf;
      if (together)
        load_across(face, across);

      for_batches<Sizes::nf>(n_face_points(),
                             [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
                               constexpr int n_points = decltype(size)::value;
                               const Number *values =
                                 tables.face_values + (face * n_face_points() + q0) * n_modes();
                               State inside[n_points], outside[n_points], fluxes[n_points];
                               interpolate<n_points>(values, u, inside);
                               for (int q = 0; q < n_points; ++q)
                                 {
                                   admissible = admissible & arg.law.admissible(inside[q]);
                                   if (together)
                                     copy(across[q0 + q], outside[q]);
                                   else
                                     set_neighbor_state(q0 + q, outside[q]);
                                   if (at_boundary)
                                     Group::set_boundary_states(q0 + q, inside[q], outside[q]);
                                 }
                               Vector normals[n_points];
                               T      areas[n_points];
                               for (int q = 0; q < n_points; ++q)
                                 if constexpr (Geometry::is_constant)
                                   {
                                     normals[q] = normal_of_face;
                                     areas[q]   = area_of_face;
                                   }
                                 else
                                   areas[q] = set_normal(q0 + q, normals[q]);
                               Group::template set_numerical_fluxes<n_points>(
                                 face, q0, inside, outside, normals, fluxes);
                               for (int q = 0; q < n_points; ++q)
                                 {
                                   const T scale = areas[q] * T(tables.face_weights[q0 + q]);
                                   for (int c = 0; c < n_components; ++c)
                                     fluxes[q][c] = scale * fluxes[q][c];
                                   if (at_boundary)
                                     Group::add_outflow(fluxes[q], geometry);
                                 }
                               subtract<n_points>(values, fluxes, 0);
                             });
    }

    /// \f$ r_m \leftarrow \sum_q w_q \phi_m(q) \tilde J_q^{-1} \sum_n \phi_n(q) r_n \f$.
    void
    apply_inverse_mass(const Geometry &geometry)
    {
      T *const of_r = u_neighbor; // room that is free after the faces
      for (int i = 0; i < n_modes() * n_components; ++i)
        {
          of_r[i] = r[i];
          r[i]    = T(Number(0));
        }
      for_batches<Sizes::nv>(n_volume_points(),
                             [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
                               constexpr int n_points = decltype(size)::value;
                               const Number *values   = tables.volume_values + q0 * n_modes();
                               State         states[n_points];
                               interpolate<n_points>(values, of_r, states);
                               for (int q = 0; q < n_points; ++q)
                                 {
                                   const T factor = geometry.inverse_mass(q0 + q) *
                                                    T(-tables.volume_weights[q0 + q]);
                                   for (int c = 0; c < n_components; ++c)
                                     states[q][c] = factor * states[q][c];
                                 }
                               subtract<n_points>(values, states, 0);
                             });
    }

    /// The neighbours' states at the points of face @p face, which is theirs, too.
    void
    load_across(const int face, State *states) const
    {
      const int nf = n_face_points();
      State     there[Sizes::max_nf]; // at the points in the neighbour's order
      for_batches<Sizes::nf>(nf, [&](const auto size, const int q) SALTUS_INLINE_LAMBDA {
        interpolate<decltype(size)::value>(tables.face_values + (face * nf + q) * n_modes(),
                                           u_neighbor,
                                           there + q);
      });
      const T orientation = LaneWords<T>::numbers(LaneWords<T>::load(orientations));
      for (int q = 0; q < nf; ++q)
        copy(there[q], states[q]);
      for (int o = 1; o < Simplex<dim>::n_orientations; ++o)
        if (const Mask mask = orientation == T(Number(o)); any(mask))
          for (int q = 0; q < nf; ++q)
            for (int c = 0; c < n_components; ++c)
              states[q][c] =
                select(mask, there[tables.face_permutations[o * nf + q]][c], states[q][c]);
    }

    /// The neighbours' state at point @p q, each lane by its own table.
    void
    set_neighbor_state(const int q, State &state) const
    {
      const Number *rows[width];
      for (int l = 0; l < width; ++l)
        rows[l] =
          tables.face_values + (faces_across[l] * n_face_points() +
                                tables.face_permutations[orientations[l] * n_face_points() + q]) *
                                 n_modes();
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for (int m = 0; m < n_modes(); ++m)
        {
          T value;
          for (int l = 0; l < width; ++l)
            value.v[l] = rows[l][m];
          for (int c = 0; c < n_components; ++c)
            state[c] = state[c] + value * u_neighbor[m * n_components + c];
        }
    }

    T u_neighbor[n_numbers];
  };
} // namespace Saltus::SALTUS_ISA_NAMESPACE

#endif
