// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Products with matrices of dense blocks: a warp a block row. Lane l begins with number l of a
// block, which is row l % n of column l / n, and goes on by as many whole columns as fit into a
// warp, so that it stays in its row; the lanes of a row add in the end. Blocks of more than 32 rows
// are done 32 rows at a time, with one lane a row.
#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/device/cuda_runtime.h>

#include <cuda/base/device/check.cuh>
#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_warps = 4; ///< of a block of threads

    template <typename Number>
    __global__ void __launch_bounds__(32 * n_warps)
      block_product_kernel(const int n_elements, const BlockProduct<Number> product)
    {
      const int element = blockIdx.x * n_warps + threadIdx.x / 32, lane = threadIdx.x % 32;
      if (element >= n_elements)
        return;
      const auto &A    = product.matrix;
      const int   size = A.size(element), n_columns = ::max(1, 32 / size);
      const int   begin = A.row_starts[element], end = A.row_starts[element + 1];
      for (int first = 0; first < size; first += 32)
        {
          const int  row    = first + (size < 32 ? lane % size : lane);
          const int  column = size < 32 ? lane / size : 0;
          const bool works  = column < n_columns && row < size;
          Number     sum    = 0;
          for (int b = begin; b < end; ++b)
            {
              const int     of_column = A.columns[b], n = A.size(of_column);
              const Number *values = A.values + A.block_starts[b] + row;
              const Number *src    = product.src + A.first_rows[of_column];
              if (works)
                for (int j = column; j < n; j += n_columns)
                  sum += values[static_cast<std::size_t>(j) * size] * src[j];
            }
          Number total = sum;
          for (int c = 1; c < n_columns; ++c)
            total += __shfl_sync(~0U, sum, ::min(31, lane + c * size));
          if (works && column == 0)
            product.finish(A.first_rows[element] + row, total);
        }
    }

    struct CudaWarps
    {
      template <typename Number>
      static void
      run(const int n_elements, const BlockProduct<Number> &product)
      {
        block_product_kernel<<<(n_elements + n_warps - 1) / n_warps,
                               32 * n_warps,
                               0,
                               CudaRuntime::stream()>>>(n_elements, product);
        CudaRuntime::check_launch("a product with a matrix of blocks");
      }

      template <typename Product>
      static bool
      enrol()
      {
        WorkRegistry<Product>::cuda = &run;
        return true;
      }
    };

    [[maybe_unused]] const bool enrolled =
      BlockProducts::enrol<CudaWarps>() && BlockWork::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
