// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_sparse_laplace_programs_cuh
#define saltus_cuda_operators_elliptic_sparse_laplace_programs_cuh

// The forms of the Laplace operator on affine simplices as programs, see laplace_programs.cuh.

#include <saltus/operators/elliptic/kernels/laplace_forms.h>

#include <cuda/operators/elliptic/laplace_programs.cuh>
#include <cuda/operators/elliptic/tensor_volume.cuh>
#include <cuda/operators/spaces/copied_modes.cuh>

namespace Saltus::CudaKernels
{
  /// One thread an affine element, see SparseLaplaceElement.
  template <int dim,
            typename Number,
            int         degree,
            bool        matched,
            bool        smooths,
            ElementPart part,
            int         n_components>
  struct SparseLaplaceProgram
  {
    static constexpr int          n_modes = Simplex<dim>::n_modes(degree);
    static constexpr SparseLaunch launch  = sparse_launch<dim, Number>(degree, smooths);
    static constexpr SparseCopies copies  = sparse_copies<dim, Number>(degree, smooths, part);

    /// Operands of arithmetic come from the cache of constants, which has 2 KB, or are parts of
    /// instructions. Numbers in double precision then cost one more instruction each.
    static constexpr bool is_stored = sizeof(Number) == sizeof(double) &&
                                      SparseModalLayout<dim>(degree).size * sizeof(double) <= 2400;

    using Tables = std::conditional_t<is_stored,
                                      StoredEntries<dim, degree, Number>,
                                      CompiledEntries<dim, degree, Number>>;

    using Access  = std::conditional_t<copies.copies,
                                      CopiedModes<Number, n_modes, copies.keeps_own, n_components>,
                                      ModesInMemory>;
    using Element = SparseLaplaceElement<dim,
                                         degree,
                                         Number,
                                         Number,
                                         1,
                                         launch.face_loop,
                                         matched,
                                         smooths,
                                         Tables,
                                         Access,
                                         part,
                                         n_components>;

    static constexpr LaunchShape shape{.n_threads    = n_sparse_threads,
                                       .per_block    = n_sparse_threads,
                                       .min_blocks   = launch.min_blocks,
                                       .shared_bytes = copies.shared_bytes,
                                       .n_rows       = n_components};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &, Tables &tables, double *)
    {
      tables = Tables();
    }

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg, const Tables &entries)
    {
      extern __shared__ double memory[];
      const int element = arg.mesh.begin + blockIdx.x * n_sparse_threads + threadIdx.x;
      if (element / block_size < n_blocks(arg.mesh.end))
        Element(arg, entries, Access(memory)).run(element, component<n_components>());
    }
  };

  /// The volume term with tensor cores, see TensorVolume.
  template <int degree>
  struct TensorVolumeProgram
  {
    using Volume = TensorVolume<degree>;

    struct Tables
    {
      const double *operands;
    };

    static constexpr int memory_bytes = Volume::size * sizeof(double);
    static_assert(memory_bytes == tensor_volume_bytes(degree));

    // Blocks copy the table, but must not stay to the end: messages wait for multiprocessors.
    static constexpr LaunchShape shape{.n_threads    = Volume::n_threads,
                                       .per_block    = Volume::n_elements,
                                       .min_blocks   = 1,
                                       .shared_bytes = memory_bytes,
                                       .max_blocks   = 4};

    static void
    make_tables(const ElementTables<double> &, Tables &tables, double *operands)
    {
      tables.operands = operands;
      Volume::make_table(operands);
    }

    static __device__ __forceinline__ void
    run(const LaplaceArguments<double> &arg, const Tables &tables)
    {
      extern __shared__ double shared[];
      copy_to_block(tables.operands, shared, Volume::size);
      Volume(arg, shared).run();
    }
  };
} // namespace Saltus::CudaKernels

#endif
