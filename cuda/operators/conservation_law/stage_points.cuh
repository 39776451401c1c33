// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_stage_points_cuh
#define saltus_cuda_operators_conservation_law_stage_points_cuh

// What the fast stage kernels of a conservation law have in common: how the components of a mode
// are read and updated, and what happens at a quadrature point.

#include <saltus/mesh/affine_geometry.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/line_tables.h>
#include <saltus/physics/numerical_flux.h>

#include <cstring>
#include <cuda/base/device/early_begin.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <type_traits>

namespace Saltus::CudaKernels
{
  /// The state in an element where the modes have the values @p row.
  template <typename Law, typename Number>
  __device__ __forceinline__ Array<Number, Law::n_components>
                             state_at(const StageArguments<Law, Number> &arg,
                                      const int                          element,
                                      const Number                      *row,
                                      const int                          n_modes)
  {
    constexpr int    n = Law::n_components;
    Array<Number, n> state{};
#pragma unroll
    for (int m = 0; m < n_modes; ++m)
      for (int c = 0; c < n; ++c)
        state[c] += row[m] * arg.u[CoefficientLayout{n_modes, n}.index(element, m, c)];
    return state;
  }

  /// @tparam number that of the numerical flux, see NumericalFluxes
  /// @tparam Compute what is computed with, where that is not what is stored
  template <typename Law, typename Number, int number, typename Compute = Number>
  class StagePoints
  {
  public:
    static constexpr int dim = Law::dimension;
    static constexpr int n   = Law::n_components;

    using T         = Quick<Compute>;
    using State     = Array<T, n>;
    using Field     = Array<T, Law::n_fields>;
    using Direction = Array<T, dim>;
    using Arguments = StageArguments<Law, Number>;

    explicit __device__ __forceinline__
    StagePoints(const Arguments &arg)
      : arg(arg)
    {}

    __device__ __forceinline__ State
    numerical_flux(const State     &inside,
                   const State     &outside,
                   const Field     &field,
                   const Direction &normal) const
    {
      return NumericalFluxes<Law>::template evaluate<number>(
        arg.law, inside, outside, field, normal);
    }

    static __device__ __forceinline__ Field
    field(const Number *fields, const int element, const int point, const int n_points)
    {
      Field result;
#pragma unroll
      for (int i = 0; i < Law::n_fields; ++i)
        result[i] = T(__ldg(fields + point_index(element, point, n_points, Law::n_fields) + i));
      return result;
    }

    __device__ __forceinline__ AffineGeometry<dim, T>
                               geometry(const int element) const
    {
      return affine_geometry<dim, Number, T>(arg.mesh.inverse_jacobians, element);
    }

    /// What the inverse mass matrix is the sum of at volume point @p q, with the weight; beyond the
    /// last point 0.
    template <typename Geometry>
    __device__ __forceinline__ T
    weighted_inverse_mass(const Geometry &geometry, const int q, const int n_points) const
    {
      return q < n_points ? T(__ldg(arg.tables.volume_weights + q)) * geometry.inverse_mass(q)
                          : T(0.);
    }

    /// Before the first call of boundary_state().
    /// @param at_boundary whether there may be one
    static __device__ __forceinline__ void
    wait_at_boundary(const bool at_boundary)
    {
      if (at_boundary)
        CudaRuntime::wait_for_kernel_before();
    }

    /// The state outside boundary face @p b at its point @p q.
    __device__ __forceinline__ State
    boundary_state(const int b, const int q, const int n_points) const
    {
      const std::size_t point = static_cast<std::size_t>(b) * n_points + q;
      const auto        row   = Row<n, Number>::read(arg.boundary.states + point * n);
      State             state;
#pragma unroll
      for (int c = 0; c < n; ++c)
        state[c] = T(row.values[c].v);
      return state;
    }

    /// Record an inadmissible state of an element that has one. This is seldom done, so that
    /// kernels remember no more than that there was one.
    __device__ __forceinline__ void
    record_failure(const int element) const
    {
      find_failure(arg, element);
    }

    /// Leave the flux out of the domain at point @p q of boundary face @p b, times the face's area
    /// over |det J|, for outflow_kernel() where the state outside was. Nobody reads those of given
    /// faces.
    __device__ __forceinline__ void
    store_outflow(const int b, const int q, const int n_points, const State &flux) const
    {
      const std::size_t point = static_cast<std::size_t>(b) * n_points + q;
      for (int c = 0; c < n; ++c)
        arg.boundary.states[point * n + c] = Number(flux[c].v);
    }

    /// What the update reads beside u, or nullptr: the accumulator, or else the base.
    __device__ __forceinline__ const Number *
    old() const
    {
      const StageCoefficients &k = arg.coefficients;
      return k.reads_accumulator() ? arg.accumulator : (k.has_base ? arg.base : nullptr);
    }

    /// The Runge-Kutta update of @p count pieces of @p width numbers.
    /// All that is read is read before the first is written: compilers do not know that no two
    /// of them are the same.
    /// @tparam straight whether to compute with factors that are 0 rather than to branch, which
    /// takes fewer registers with tensor cores and more with one thread an element
    /// @tparam by_cases whether there is code of its own for the seldom case that old() and the
    /// base are both read, without which no read waits for the writes before it
    /// @param exists `(i)`: whether there is piece i < count
    /// @param first,offset where it begins: `first + offset(i)`
    /// @param old `(i)`: the piece of old(), as a Row
    /// @param u,r `(i, l)`: its numbers, l < width
    template <int  width,
              int  count,
              bool straight,
              bool by_cases = false,
              typename Exists,
              typename Offset,
              typename Old,
              typename U,
              typename R>
    __device__ __forceinline__ void
    update(const Exists     &exists,
           const std::size_t first,
           const Offset     &offset,
           const Old        &old,
           const U          &u,
           const R          &r) const
    {
      using Piece                = Row<width, Number>;
      const StageCoefficients &k = arg.coefficients;
      const StageUpdate<T>     by(k, *arg.dt);
      const bool               accumulates = k.accumulates(), adds = k.reads_accumulator();
      const bool               has_base = k.has_base;
      Piece                    olds[count];
      Number *const sums = arg.accumulator + first, *const outs = arg.out + first;
      const Number *const bases = arg.base + first;
      if (adds || has_base)
        {
#pragma unroll
          for (int i = 0; i < count; ++i)
            if (exists(i))
              olds[i] = old(i);
        }
      else if (straight)
        {
#pragma unroll
          for (int i = 0; i < count * width; ++i)
            olds[i / width].values[i % width] = Number(0);
        }
      const auto finish = [&](const auto with_base) {
#pragma unroll
        for (int i = 0; i < count; ++i)
          if (exists(i))
            {
              Piece base = olds[i], sum, out;
              if (with_base)
                base = Piece::read(bases + offset(i));
#pragma unroll
              for (int l = 0; l < width; ++l)
                {
                  const T residual = r(i, l);
                  T       s        = 0.;
                  if (straight || accumulates)
                    {
                      s = by.template accumulator<T>(straight || adds ? T(olds[i].values[l].v)
                                                                      : T(0.),
                                                     residual);
                      sum.values[l] = Number(s.v);
                    }
                  const T from  = has_base ? T(base.values[l].v) : T(0.);
                  out.values[l] = Number(by.template state<T>(u(i, l), from, residual, s).v);
                }
              if (accumulates)
                sum.write(sums + offset(i));
              out.write(outs + offset(i));
            }
      };
      const bool with_base = adds && has_base;
      if constexpr (!by_cases)
        finish(with_base);
      else if (with_base)
        finish(std::true_type());
      else
        finish(std::false_type());
    }

    const Arguments &arg;

  private:
    static __device__ __noinline__ void
    find_failure(const Arguments &arg, const int element)
    {
      const ElementTables<Number> &tables   = arg.tables;
      const int                    n_volume = tables.n_volume_points;
      const int                    n_all    = n_volume + tables.n_faces * tables.n_face_points;
      for (int q = 0; q < n_all; ++q)
        {
          const auto state =
            state_at(arg,
                     element,
                     q < n_volume ? tables.volume_values + q * tables.n_modes
                                  : tables.face_values + (q - n_volume) * tables.n_modes,
                     tables.n_modes);
          // The last one, if sums in another order make all look admissible.
          if (!arg.law.admissible(state) || q == n_all - 1)
            {
              Saltus::record_failure(arg.failure,
                                     FailureKind::state,
                                     element,
                                     arg.time->time + arg.coefficients.time * arg.time->dt,
                                     state);
              return;
            }
        }
    }
  };

  /// The points of a line of hypercubes with @p n_modes, 0 if there are none with so many.
  template <int dim>
  constexpr int
  points_of_line(const int n_modes)
  {
    int n = 1;
    while (power(n, dim) < n_modes)
      ++n;
    return power(n, dim) == n_modes ? n : 0;
  }

  /// The same as state_at() point @p q of face @p f of an element: of hypercubes whose rules have
  /// the points of their basis, a sum along a line.
  template <int n_modes, typename Law, typename Number>
  __device__ __forceinline__ Array<Number, Law::n_components>
  state_on_face(const StageArguments<Law, Number> &arg, const int element, const int f, const int q)
  {
    constexpr int dim = Law::dimension, nc = Law::n_components, n = points_of_line<dim>(n_modes);
    const Number *row = arg.tables.face_values + (f * arg.tables.n_face_points + q) * n_modes;
    if constexpr (n > 0)
      if (LineTables<Number, n>::template fit<dim>(arg.tables))
        {
          using Cube             = Hypercube<dim>;
          const int         line = Cube::line(f / 2, q, n), step = Cube::stride(f / 2, n);
          Array<Number, nc> state{};
#pragma unroll
          for (int m = 0; m < n; ++m)
            for (int c = 0; c < nc; ++c)
              state[c] += row[line + m * step] *
                          arg.u[CoefficientLayout{n_modes, nc}.index(element, line + m * step, c)];
          return state;
        }
    return state_at(arg, element, row, n_modes);
  }
} // namespace Saltus::CudaKernels

#endif
