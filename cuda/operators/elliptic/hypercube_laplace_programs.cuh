// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_hypercube_laplace_programs_cuh
#define saltus_cuda_operators_elliptic_hypercube_laplace_programs_cuh

// The Laplace operator on quadrilaterals and hexahedra as programs, see KernelSource.
#include <saltus/operators/elliptic/kernels/hypercube_laplace_element.h>
#include <saltus/operators/spaces/hypercube_tables.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/elliptic/hypercube_planes.cuh>
#include <cuda/operators/elliptic/laplace_programs.cuh>
#include <type_traits>

namespace Saltus::CudaKernels
{
  /// One thread an element: all of it is in registers, as far as they go.
  template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
  struct HypercubeThreads
  {
    using Element = HypercubeLaplaceElement<kind, dim, degree + 1, Number, Number, 1, n_components>;
    using Lines   = typename Element::Lines;

    /// Numbers of an element that want to be in registers, in bytes.
    static constexpr int size = power(degree + 1, dim) * sizeof(Number);

    /// As was measured.
    static constexpr bool is_square = kind == GeometryKind::affine && dim == 2 && size == 32;

    static constexpr LaunchShape shape{
      .n_threads  = 128,
      .per_block  = 128,
      .min_blocks = is_square ? 7 : (size <= 32 ? 6 : (size > 128 ? 2 : (size == 72 ? 4 : 3))),
      .n_rows     = n_components};

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Lines &lines)
    {
      const int element = arg.mesh.begin + blockIdx.x * shape.n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const typename Element::Tables tables(arg.tables);
      Element(arg, tables, lines, element, component<n_components>()).run();
    }
  };

  /// The same with a warp a plane of points.
  template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
  struct HypercubeWarps
  {
    using Planes = HypercubePlanes<kind, dim, degree + 1, Number, n_components>;
    using Lines  = typename Planes::Lines;

    static constexpr bool is_affine = kind == GeometryKind::affine;

    /// On a multiprocessor: as many as registers allow with few spills. All quarters of it have
    /// registers for as many warps as the one with the most of them.
    static constexpr int of_affine = dim == 2 ? (degree <= 6 ? 9 - degree : 2) : 6 - degree;
    static constexpr int of_stored =
      dim == 2 ? (degree == 4 ? 3 : of_affine) : (degree == 3 ? 2 : 1);
    static constexpr int of_double = is_affine ? of_affine : of_stored;
    static constexpr int of_float  = of_double == 1 ? 2 : 3 * of_double / 2;

    static constexpr LaunchShape shape{.n_threads    = 32 * Planes::n_warps,
                                       .per_block    = block_size,
                                       .min_blocks   = sizeof(Number) == 8 ? of_double : of_float,
                                       .shared_bytes = Planes::shared_bytes,
                                       .n_rows       = n_components,
                                       .counts_warps = true};

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Lines &lines)
    {
      extern __shared__ __align__(16) unsigned char memory[];
      Planes(arg, lines, component<n_components>(), reinterpret_cast<Number *>(memory)).run();
    }
  };

  /// Whether elements have more points than threads have registers for: which of the kernels is
  /// faster was measured.
  constexpr bool
  needs_warps(const GeometryKind kind, const int dim, const int degree)
  {
    return degree >= (dim == 3 ? 3 : (kind == GeometryKind::affine ? 5 : 4));
  }

  /// The whole operator on elements with the points of their basis; with several components its
  /// coefficients are constant. The general form replaces it where the device has too little
  /// shared memory.
  template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
  struct HypercubeLaplaceProgram
  {
  private:
    using Fast    = std::conditional_t<needs_warps(kind, dim, degree),
                                    HypercubeWarps<kind, dim, Number, degree, n_components>,
                                    HypercubeThreads<kind, dim, Number, degree, n_components>>;
    using General = QuadratureLaplaceProgram<kind,
                                             dim,
                                             Number,
                                             HypercubeTables<dim, Number, degree>,
                                             n_components>;

    static constexpr bool has_memory = Fast::shape.shared_bytes <= shared_memory_of_block;

  public:
    using Tables = typename Fast::Lines;

    static constexpr LaunchShape shape        = has_memory
                                                  ? Fast::shape
                                                  : LaunchShape{.n_threads  = General::shape.n_threads,
                                                                .per_block  = General::shape.per_block,
                                                                .n_rows     = n_components,
                                                                .is_general = true,
                                                                .lacks_shared_memory = true};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &from, Tables &lines, double *)
    {
      lines = Tables::template make<dim>(from);
    }

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Tables &lines)
    {
      if constexpr (has_memory)
        Fast::run(arg, lines);
      else
        General::run(arg);
    }
  };
} // namespace Saltus::CudaKernels

#endif
