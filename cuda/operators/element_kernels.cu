// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A warp works on one row of one block: it reads and writes full lines.
#include <saltus/operators/element_kernels.h>

#include <cuda/base/check.cuh>

namespace Saltus
{
  namespace
  {
    /// Rows at a time of one block, which share what they read in the first-level cache.
    constexpr int n_rows_at_once = 8;

    template <typename Number, typename Operation>
    __global__ void
    __launch_bounds__(block_size *n_rows_at_once) row_kernel(const Operation operation)
    {
      for (int row = threadIdx.y; row < operation.n_rows(); row += blockDim.y)
        operation.template run<Number>(blockIdx.x, row, threadIdx.x);
    }

    template <typename Number>
    struct Cuda
    {
      template <typename Operation>
      static void
      run(const int n_elements, const Operation &operation)
      {
        const int  n_rows = operation.n_rows();
        const dim3 threads(block_size, n_rows < n_rows_at_once ? n_rows : n_rows_at_once);
        row_kernel<Number><<<n_blocks(n_elements), threads, 0, CudaRuntime::stream()>>>(operation);
        CudaRuntime::check_launch("work on elements");
      }

      template <typename Operation>
      static void
      enrol()
      {
        ElementOperationRegistry<Operation>::cuda = &run<Operation>;
      }
    };

    [[maybe_unused]] const bool registered = [] {
      ElementOperations<double>::enrol<Cuda<double>>();
      ElementOperations<float>::enrol<Cuda<float>>();
      return true;
    }();
  } // namespace
} // namespace Saltus
