// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_blocks_element_operations_cuh
#define saltus_cuda_operators_blocks_element_operations_cuh

// Element operations on GPUs. A warp works on one row of one block: it reads and writes full lines.
#include <saltus/operators/blocks/element_kernels.h>

#include <cuda/base/device/launch.cuh>

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

    /// The back end of a WorkList of element operations.
    /// @tparam Faster kernels for some of them, see NoFasterKernels
    template <typename Number, typename Faster = NoFasterKernels>
    struct Cuda
    {
      template <typename Operation>
      static void
      run(const int n_elements, const Operation &operation)
      {
        if (!Faster::run(n_elements, operation))
          {
            const int  n_rows = operation.n_rows();
            const dim3 threads(block_size, n_rows < n_rows_at_once ? n_rows : n_rows_at_once);
            row_kernel<Number>
              <<<n_blocks(n_elements), threads, 0, CudaRuntime::stream()>>>(operation);
          }
        CudaRuntime::check_launch("work on elements");
      }

      template <typename Operation>
      static bool
      enrol()
      {
        WorkRegistry<Operation>::cuda = &run<Operation>;
        return true;
      }
    };
  } // namespace
} // namespace Saltus

#endif
