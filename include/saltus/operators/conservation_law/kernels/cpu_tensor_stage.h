// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_cpu_tensor_stage_h
#define saltus_operators_conservation_law_kernels_cpu_tensor_stage_h

// The fused Runge-Kutta stage of a conservation law on quadrilaterals and hexahedra on the CPU, by
// sums along the lines of points. Included by cpu_kernels.h.
//
//   u, r         place      pack  values at the points of the group, residual; see CpuStageGroup
//   u_neighbor   place      pack  coefficients across a face that all neighbours see alike: its
//                                 numbers are the same for all lanes
//   fluxes       [r][q][c]  pack  at the points, in direction r of the reference cell
// The last direction runs slowest: a layer is what has the same index in it.

#include <saltus/operators/conservation_law/kernels/cpu_stage_group.h>
#include <saltus/operators/spaces/line_tables.h>

namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// Numbers of modes and points of tensor polynomials with the points of their basis.
  template <int dim, int degree>
  struct TensorSizes
  {
    static constexpr bool fixed   = true;
    static constexpr int  n       = degree + 1; ///< points of a line
    static constexpr int  n_faces = Hypercube<dim>::n_faces;
    static constexpr int  n_modes = power(n, dim), most_modes = n_modes;
    static constexpr int  nv = n_modes, nf = power(n, dim - 1);
  };

  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CpuTensorStage
    : private CpuStageGroup<Law, Number, TensorSizes<Law::dimension, degree>, kind>
  {
    using Sizes = TensorSizes<Law::dimension, degree>;
    using Group = CpuStageGroup<Law, Number, Sizes, kind>;
    using Group::admissible;
    using Group::arg;
    using Group::at_boundary;
    using Group::dim;
    using Group::n_components;
    using Group::place;
    using Group::r;
    using Group::tables;
    using Group::u;
    using Group::width;
    using typename Group::Arguments;
    using typename Group::Geometry;
    using typename Group::State;
    using typename Group::T;
    using typename Group::Vector;

    static constexpr int               n = Sizes::n, nf = Sizes::nf, nv = Sizes::nv;
    static constexpr CoefficientLayout layout{nv, n_components};

  public:
    using Lines = LineTables<Number, n>;

    CpuTensorStage(const Arguments &arguments, const Lines &lines)
      : Group(arguments)
      , lines(lines)
    {
      for (int q = 0; q < nv; ++q)
        {
          roots[q] = inverse_roots[q] = 1;
          for (int d = 0; d < dim; ++d)
            {
              roots[q] *= lines.root[index(q, d)];
              inverse_roots[q] *= lines.inverse_root[index(q, d)];
            }
        }
    }

    /// All elements of block @p block.
    void
    run(const int block)
    {
      Group::run_groups(block, [&](const Geometry &geometry) {
        scale([&](const int q) { return T(inverse_roots[q]); }, u);
        if (arg.second_order_terms != nullptr)
          scale([&](const int q) { return T(inverse_roots[q]); }, r);
        add_volume(geometry);
        for (int face = 0; face < Sizes::n_faces; ++face)
          add_face(face, geometry);
        scale([&](const int q) { return T(roots[q]) * geometry.inverse_mass(q); }, r);
      });
    }

  private:
    /// The index of point @p q in direction @p d.
    static constexpr int
    index(const int q, const int d)
    {
      return q / Hypercube<dim>::stride(d, n) % n;
    }

    template <typename Factor>
    static void
    scale(const Factor &factor, T *values)
    {
      for (int q = 0; q < nv; ++q)
        {
          const T by = factor(q);
          for (int c = 0; c < n_components; ++c)
            values[place(q, c)] = by * values[place(q, c)];
        }
    }

    static State
    state_at(const T *values, const int q)
    {
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = values[place(q, c)];
      return state;
    }

    /// \f$ r_i \mathrel{+}= \sum_k D_{ki} f_k \f$ along the line in direction @p d through point
    /// @p q of the first layer of @p of_fluxes, which is that of point @p first of r.
    inline __attribute__((always_inline)) void
    add_derivative(const State *of_fluxes, const int d, const int q, const int first)
    {
      const int stride = Hypercube<dim>::stride(d, n);
      for (int i = 0; i < n; ++i)
        {
          const int at  = first + q + i * stride;
          State     sum = state_at(r, at);
          for (int k = 0; k < n; ++k)
            for (int c = 0; c < n_components; ++c)
              sum[c] = sum[c] + T(lines.derivative[k][i]) * of_fluxes[q + k * stride][c];
          for (int c = 0; c < n_components; ++c)
            r[place(at, c)] = sum[c];
        }
    }

    void
    add_volume(const Geometry &geometry)
    {
      for (int layer = 0; layer < n; ++layer)
        {
          for (int i = 0; i < nf; ++i)
            {
              const int   q     = layer * nf + i;
              const State state = state_at(u, q);
              admissible        = admissible & arg.law.admissible(state);
              const auto field  = Group::load_field(arg.fields.volume, q, nv);
              for (int d = 0; d < dim; ++d)
                (d < dim - 1 ? in_layer[d] + i : across_layers + q)[0] =
                  arg.law.flux(state, field, geometry.metric(q, d));
            }
          for (int d = 0; d + 1 < dim; ++d)
            for (int i = 0; i < nf; ++i)
              if (index(i, d) == 0)
                add_derivative(in_layer[d], d, i, layer * nf);
        }
      for (int i = 0; i < nf; ++i)
        add_derivative(across_layers, dim - 1, i, 0);
    }

    void
    add_face(const int face, const Geometry &geometry)
    {
      Group::find_neighbors(face);
      set_across(face);
      const auto set_normal = [&](const int q, Vector &normal) {
        return geometry.set_normal(
          face, q, [&](const int k) { return tables.face_normals[face * dim + k]; }, normal);
      };
      Vector normal;
      T      area;
      if constexpr (Geometry::is_constant)
        area = set_normal(0, normal);
      for (int q = 0; q < nf; ++q)
        {
          const Line line = line_from(face, q);
          State      inside;
          set_trace(
            u, [&](const int m) { return T(lines.edge[m]); }, line, inside);
          admissible = admissible & arg.law.admissible(inside);
          if (at_boundary)
            Group::set_boundary_states(q, inside, across[q]);
          if constexpr (!Geometry::is_constant)
            area = set_normal(q, normal);
          State flux;
          Group::template set_numerical_fluxes<1>(face, q, &inside, &across[q], &normal, &flux);
          for (int c = 0; c < n_components; ++c)
            flux[c] = area * flux[c];
          if (Group::has_given)
            Group::set_given_fluxes(q, flux);
          for (int m = 0; m < n; ++m)
            for (int c = 0; c < n_components; ++c)
              {
                T &to = r[place(line.first + m * line.step, c)];
                to    = to - T(lines.lift[m]) * flux[c];
              }
          if (at_boundary)
            {
              for (int c = 0; c < n_components; ++c)
                flux[c] = T(tables.face_weights[q]) * flux[c];
              Group::add_outflow(flux, geometry);
            }
        }
    }

    /// The points of a line, numbered `first + m step`.
    struct Line
    {
      int first, step;
    };

    /// That behind point @p q of face @p face, from the face on: tables are those of the face at
    /// the beginning of a line.
    static inline __attribute__((always_inline)) Line
    line_from(const int face, const int q)
    {
      const int  d = face / 2, stride = Hypercube<dim>::stride(d, n);
      const bool at_end = face % 2 == 1;
      return {Hypercube<dim>::line(d, q, n) + (at_end ? (n - 1) * stride : 0),
              at_end ? -stride : stride};
    }

    /// The state at the face where @p line begins.
    /// @param edge `(m)`: what the value at point m of the line is multiplied with
    template <typename Edge>
    static inline __attribute__((always_inline)) void
    set_trace(const T *values, const Edge &edge, const Line line, State &state)
    {
      for (int c = 0; c < n_components; ++c)
        {
          state[c] = edge(0) * values[place(line.first, c)];
          for (int m = 1; m < n; ++m)
            state[c] = state[c] + edge(m) * values[place(line.first + m * line.step, c)];
        }
    }

    /// The neighbours' states at the points of face @p face.
    void
    set_across(const int face)
    {
      if (Group::alike)
        {
          Group::gather(arg.u, Group::neighbors, u_neighbor);
          const int there = Group::face_of_all, orientation = Group::orientation_of_all;
          for_traces(face, [&](const int q, const auto &edge) SALTUS_INLINE_LAMBDA {
            set_trace(u_neighbor, edge, line_from(there, point_across(q, orientation)), across[q]);
          });
        }
      else
        for_traces(face, [&](const int q, const auto &edge) SALTUS_INLINE_LAMBDA {
          gather_trace(q, edge, across[q]);
        });
    }

    /// `set(q, edge)` at the points of face @p face, with what modes of neighbours are multiplied
    /// with for their state there.
    template <typename Set>
    inline __attribute__((always_inline)) void
    for_traces(const int face, const Set &set) const
    {
      for (int q = 0; q < nf; ++q)
        {
          // Tangential weights are the same on both sides, whatever the orientation.
          const Number others = inverse_roots[Hypercube<dim>::line(face / 2, q, n)] * lines.root[0];
          set(q, [&](const int m) { return T(others * lines.edge_of_modes[m]); });
        }
    }

    /// The neighbour's number of point @p q of a face.
    int
    point_across(const int q, const int orientation) const
    {
      return tables.face_permutations[orientation * nf + q];
    }

    /// The same of neighbours' states, from one place a lane.
    template <typename Edge>
    inline __attribute__((always_inline)) void
    gather_trace(const int q, const Edge &edge, State &state) const
    {
      const Number  *at[width];
      std::ptrdiff_t steps[width];
      for (int l = 0; l < width; ++l)
        {
          const Line line =
            line_from(Group::faces_across[l], point_across(q, Group::orientations[l]));
          at[l]    = arg.u + layout.index(Group::neighbors[l], line.first);
          steps[l] = line.step * static_cast<std::ptrdiff_t>(layout.mode_stride());
        }
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for (int m = 0; m < n; ++m)
        {
          State row;
          load_row(at, row);
          for (int c = 0; c < n_components; ++c)
            state[c] = state[c] + edge(m) * row[c];
          for (int l = 0; l < width; ++l)
            at[l] += steps[l];
        }
    }

    /// The components of a mode from one place a lane.
    template <int first = 0>
    static inline __attribute__((always_inline)) void
    load_row(const Number *const (&at)[width], State &row)
    {
      constexpr int left = n_components - first;
      if constexpr (layout.component_by_component())
        {
          for (int c = 0; c < n_components; ++c)
            Saltus::gather(row[c], at, c * layout.component_stride());
        }
      else if constexpr (left > 0)
        {
          constexpr int size =
            left >= 8 && width >= 8
              ? 8
              : (left >= 4 && width >= 4 ? 4 : (left >= 2 && width >= 2 ? 2 : 1));
          LaneRows<Number, width, size>::load(at, first, &row[first]);
          load_row<first + size>(at, row);
        }
    }

    const Lines &lines;
    Number       roots[nv], inverse_roots[nv]; ///< of the weights of the points
    State        in_layer[dim - 1][nf];        ///< fluxes
    State        across_layers[nv];
    T            u_neighbor[nv * n_components]; ///< coefficients across a face
    State        across[nf];                    ///< states there
  };
} // namespace Saltus::SALTUS_ISA_NAMESPACE

#endif
