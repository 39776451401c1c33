// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_column_program_cuh
#define saltus_cuda_operators_conservation_law_column_program_cuh

#include <saltus/base/device/launch_shape.h>

#include <cuda/operators/conservation_law/column_points.cuh>

namespace Saltus::CudaKernels
{
  /// A kernel on quadrilaterals and hexahedra by columns, see ColumnTeam.
  /// @tparam waits see LaunchShape
  template <int dim, typename Stage, bool waits>
  struct ColumnProgram
  {
    using Arguments = typename Stage::Arguments;
    using Tables    = typename Stage::Lines;

    static constexpr int         n_threads = threads_of_columns<Stage>();
    static constexpr LaunchShape shape{.n_threads           = n_threads,
                                       .per_block           = Stage::elements_of(n_threads),
                                       .min_blocks          = Stage::min_blocks,
                                       .shared_bytes        = Stage::shared_bytes(n_threads),
                                       .waits               = waits,
                                       .lacks_shared_memory = n_threads < Stage::max_threads};
    static constexpr int         memory_bytes = 0;

    template <typename Number>
    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      tables = Tables::template make<dim>(from);
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &lines)
    {
      extern __shared__ __align__(16) unsigned char room[];
      Stage(arg, lines, reinterpret_cast<typename Stage::value_type *>(room)).run();
    }
  };
} // namespace Saltus::CudaKernels

#endif
