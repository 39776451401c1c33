// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A warp works on one row of one block: it reads and writes full lines.
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/element_kernels.h>

#include <cuda/base/check.cuh>

namespace Saltus
{
  namespace
  {
    /// Rows at a time of one block, which share what they read in the first-level cache.
    constexpr int n_rows_at_once = 8;

    template <typename Number, typename Work>
    __global__ void
    __launch_bounds__(block_size *n_rows_at_once) row_kernel(const int n_rows, const Work work)
    {
      for (int row = threadIdx.y; row < n_rows; row += blockDim.y)
        work.template run<Number>(blockIdx.x, row, threadIdx.x);
    }

    template <typename Number>
    struct Cuda
    {
      template <typename Work>
      static void
      for_rows(const int n_elements, const int n_rows, const Work &work)
      {
        const dim3 threads(block_size, n_rows < n_rows_at_once ? n_rows : n_rows_at_once);
        row_kernel<Number>
          <<<n_blocks(n_elements), threads, 0, CudaRuntime::stream()>>>(n_rows, work);
        CudaRuntime::check_launch("work on elements");
      }
    };

    [[maybe_unused]] const bool registered = [] {
      ElementKernelRegistry<double>::cuda = new ElementKernelsOn<double, Cuda<double>>;
      ElementKernelRegistry<float>::cuda  = new ElementKernelsOn<float, Cuda<float>>;
      return true;
    }();
  } // namespace
} // namespace Saltus
