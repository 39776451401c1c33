// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_algebra_sparse_product_program_cuh
#define saltus_cuda_base_algebra_sparse_product_program_cuh

#include <saltus/base/algebra/sparse_product.h>
#include <saltus/base/device/launch_shape.h>

#include <cuda/base/device/early_begin.cuh>

namespace Saltus::CudaKernels
{
  template <typename Product, int per_row>
  struct SparseProductProgram;

  /// A row by @p per_row neighboring threads, always in the same order. Cycles of multigrid are
  /// chains of such kernels, many of them short. So a thread reads its row and first entry, which
  /// do not depend on the kernel before, while that one still runs.
  template <typename Number, typename Result, int per_row>
  struct SparseProductProgram<SparseProduct<Number, Result>, per_row>
  {
    static constexpr LaunchShape shape{.n_threads = 128, .per_block = 128 / per_row, .waits = true};

    static __device__ __forceinline__ void
    run(const std::size_t n_rows, const SparseProduct<Number, Result> &product)
    {
      CudaRuntime::let_next_kernel_begin();
      const auto       &matrix = product.matrix;
      const std::size_t thread =
        static_cast<std::size_t>(blockIdx.x) * shape.n_threads + threadIdx.x;
      const int  rank   = thread % per_row;
      const bool is_row = thread / per_row < n_rows;
      // Threads beyond the last row repeat it: all of a warp take part in the sums below.
      const std::size_t row       = is_row ? thread / per_row : n_rows - 1;
      const int         end       = matrix.row_starts[row + 1];
      int               k         = matrix.row_starts[row] + rank;
      const bool        has_entry = k < end;
      const Number      value     = has_entry ? matrix.values[k] : Number(0);
      const int         column    = has_entry ? matrix.columns[k] : 0;
      CudaRuntime::wait_for_kernel_before();
      const auto of_row = product.result.at(row);
      Number     sum    = has_entry ? value * product.src[column] : Number(0);
      for (k += per_row; k < end; k += per_row)
        sum += matrix.values[k] * product.src[matrix.columns[k]];
      for (int distance = per_row / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance, per_row);
      if (is_row && rank == 0)
        product.dst[row] = of_row(sum);
    }
  };
} // namespace Saltus::CudaKernels

#endif
