// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_curved_laplace_programs_cuh
#define saltus_cuda_operators_elliptic_curved_laplace_programs_cuh

// The forms of the Laplace operator on curved simplices as programs, see laplace_programs.cuh.

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/elliptic/laplace_programs.cuh>
#include <cuda/operators/elliptic/tensor_laplace.cuh>
#include <cuda/operators/elliptic/thread_laplace.cuh>

namespace Saltus::CudaKernels
{
  /// One thread a curved element, see ThreadLaplace.
  template <typename Form, int n_components>
  struct ThreadLaplaceProgram
  {
    using Element = ThreadLaplace<Form, n_components>;
    using Number  = typename Form::Number;

    struct Tables
    {
      typename Element::Table        table;
      const typename Element::Table *in_memory;
    };

    static constexpr LaunchShape shape{.n_threads    = Element::n_threads,
                                       .per_block    = Element::n_threads,
                                       .min_blocks   = Element::min_blocks,
                                       .shared_bytes = sizeof(typename Element::Block),
                                       .n_rows       = n_components};
    static constexpr int         memory_bytes = sizeof(typename Element::Table);

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *memory)
    {
      const auto in_memory = reinterpret_cast<typename Element::Table *>(memory);
      Element::make_table(from, tables.table);
      *in_memory       = tables.table;
      tables.in_memory = in_memory;
    }

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Tables &tables)
    {
      extern __shared__ double2 thread_shared[];
      Element(arg,
              tables.table,
              tables.in_memory,
              component<n_components>(),
              *reinterpret_cast<typename Element::Block *>(thread_shared))
        .run();
    }
  };

  /// Curved elements on tensor cores, see TensorLaplace.
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <int dim, int degree, typename Number, int n_components, int nv, int nf>
  struct TensorLaplaceProgram
  {
    template <int volume_degree>
    using WithRule = TensorLaplace<dim, degree, Number, n_components, volume_degree>;

    /// The form with the numbers of points compiled in, where these are the rules and the device
    /// has the shared memory.
    static constexpr auto
    choose()
    {
      // Triangles on maps up to the functions' degree and above, where there is no reaction.
      constexpr int below = curved_form_degree(dim, degree, degree),
                    above = curved_form_degree(dim, degree, degree + 1);
      if constexpr (n_components > 1 || Simplex<dim>::n_quadrature_points(below) == 0)
        return StaticNumber<any_rule>();
      else if constexpr (is_possible<WithRule<below>>())
        return StaticNumber<below>();
      else if constexpr (is_possible<WithRule<above>>())
        return StaticNumber<above>();
      else
        return StaticNumber<any_rule>();
    }

    template <typename ThisWarp>
    static constexpr bool
    is_possible()
    {
      return ThisWarp::fits(nv, nf) && ThisWarp::memory(nf) <= shared_memory_of_block;
    }

    using Warp   = WithRule<decltype(choose())::value>;
    using Tables = TensorLaplaceTables;

    static constexpr LaunchShape shape{.n_threads    = 32 * Warp::n_warps,
                                       .per_block    = Warp::n_elements,
                                       .min_blocks   = Warp::min_blocks,
                                       .shared_bytes = Warp::memory(nf),
                                       .n_rows       = n_components};
    static constexpr int         memory_bytes = Warp::table_bytes(nv, nf);

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *memory)
    {
      Warp::make_tables(from, tables, memory);
    }

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Tables &tables)
    {
      extern __shared__ double2 laplace_shared[];
      const int first = arg.mesh.begin + static_cast<int>(blockIdx.x) * Warp::n_elements;
      Warp(arg, tables, first, component<n_components>(), laplace_shared).run();
    }
  };
} // namespace Saltus::CudaKernels

#endif
