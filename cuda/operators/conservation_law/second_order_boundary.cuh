// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_boundary_cuh
#define saltus_cuda_operators_conservation_law_second_order_boundary_cuh

// What second-order fluxes have at the boundary, before the passes over the elements: few of these
// have such a face, but their warps would wait for it.

#include <saltus/operators/conservation_law/kernels/second_order_element.h>

#include <cuda/base/device/check.cuh>
#include <cuda/operators/spaces/element_threads.cuh>

namespace Saltus::CudaKernels
{
  constexpr int second_order_boundary_threads = 128;

  /// A point of a boundary face. For the formulas see SecondOrderElement.
  /// @tparam Tables see QuadratureTables
  template <GeometryKind kind, typename Law, typename Number, typename Tables>
  class SecondOrderBoundaryPoint : ElementGroup<kind, Law::dimension, Number, Number, 1, Tables>
  {
    using Group     = ElementGroup<kind, Law::dimension, Number, Number, 1, Tables>;
    using Arguments = SecondOrderArguments<Law, Number>;
    using Terms     = SecondOrderTerms<Law, Number, Number>;
    using Group::geometry;
    using Group::tables;

  public:
    using State = typename Terms::State;

    __device__
    SecondOrderBoundaryPoint(const Arguments &arg, const Tables &tables, const int b, const int q)
      : Group(arg.mesh, arg.stored, tables, arg.boundary.faces[b].element)
      , arg(arg)
      , b(b)
      , q(q)
    {}

    /// See SecondOrderTerms::set_boundary().
    __device__ void
    set(State &flux, State &jump) const
    {
      const int                 f = arg.boundary.faces[b].face;
      typename Terms::Direction normal;
      const Number              length = geometry.set_normal(
        f, q, [&](const int r) { return tables.face_normal(f, r); }, normal);
      for (int d = 0; d < Law::dimension; ++d)
        normal[d] *= length;
      const int   point = f * tables.n_face_points() + q;
      const Terms terms(arg);
      terms.set_boundary(
        b,
        q,
        trace_in_lanes<Terms, 1>(arg, tables, this->elements, &point, geometry.at_face_point(f, q)),
        terms.penalty_factor(Number(1)),
        normal,
        flux,
        jump);
    }

    /// What counts in an integral over the face at this point, in the unit of r.
    __device__ Number
    weight() const
    {
      return tables.face_weight(q) * geometry.volume_factor();
    }

  private:
    const Arguments &arg;
    const int        b, q;
  };

  /// Set SecondOrderArguments::boundary_terms of the elements in the mesh's range, and what leaves.
  template <GeometryKind kind, typename Law, typename Number, typename Tables>
  __global__ void
  __launch_bounds__(second_order_boundary_threads)
    second_order_boundary_kernel(const __grid_constant__ SecondOrderArguments<Law, Number> arg)
  {
    constexpr int     n = Law::n_components;
    __shared__ Number leaving[second_order_boundary_threads][n];
    const Tables      tables(arg.tables);
    const int         nf = tables.n_face_points(), per_block = second_order_boundary_threads / nf;
    const int         in_block = threadIdx.x / nf, q = threadIdx.x % nf;
    const int         b       = blockIdx.x * per_block + in_block;
    const bool        exists  = in_block < per_block && b < arg.boundary.n_faces;
    const int         element = exists ? arg.boundary.faces[b].element : -1;
    const bool        is_here = element >= arg.mesh.begin && element < arg.mesh.end;
    if (is_here)
      {
        using Point = SecondOrderBoundaryPoint<kind, Law, Number, Tables>;
        const Point           point(arg, tables, b, q);
        typename Point::State flux, jump;
        point.set(flux, jump);
        Number *const to = arg.boundary_terms + (static_cast<std::size_t>(b) * nf + q) * 2 * n;
        for (int c = 0; c < n; ++c)
          {
            to[c]                   = flux[c];
            to[n + c]               = jump[c];
            leaving[threadIdx.x][c] = point.weight() * flux[c];
          }
      }
    __syncthreads();
    if (is_here && arg.coefficients.weight != 0)
      for (int c = q; c < n; c += nf)
        {
          double sum = 0;
          for (int i = 0; i < nf; ++i)
            sum += leaving[in_block * nf + i][c];
          arg.boundary.outflow[b * n + c] -= arg.coefficients.weight * *arg.dt * sum;
        }
  }

  /// Launch that, if there is anything at the boundary.
  template <GeometryKind kind, typename Tables, typename Law, typename Number>
  void
  set_boundary_terms(const SecondOrderArguments<Law, Number> &arg)
  {
    if (const int n = arg.boundary.n_faces; n > 0 && arg.mesh.begin < arg.mesh.end)
      {
        constexpr int n_threads = second_order_boundary_threads;
        const int     per_block = n_threads / arg.tables.n_face_points;
        second_order_boundary_kernel<kind, Law, Number, Tables>
          <<<(n + per_block - 1) / per_block, n_threads, 0, CudaRuntime::stream()>>>(arg);
      }
  }

  /// What set_boundary_terms() has found at point @p q of boundary face @p b: number 0, the normal
  /// flux, or 1, twice the jump.
  template <int number, typename Law, typename Number, typename State>
  __device__ __forceinline__ void
  read_boundary_term(const SecondOrderArguments<Law, Number> &arg,
                     const int                                b,
                     const int                                q,
                     State                                   &term)
  {
    constexpr int n    = Law::n_components;
    const int     face = b * arg.tables.n_face_points;
    const Number *from = arg.boundary_terms + (static_cast<std::size_t>(face + q) * 2 + number) * n;
#pragma unroll
    for (int c = 0; c < n; ++c)
      term[c] = from[c];
  }
} // namespace Saltus::CudaKernels

#endif
