// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_launch_cuh
#define saltus_cuda_base_device_launch_cuh

// Work for one number at a time on GPUs: a thread for each.
#include <saltus/base/device/launch.h>

#include <cuda/base/device/check.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128; ///< of a block

    /// Blocks of @p n threads.
    constexpr int
    n_thread_blocks(const std::size_t n)
    {
      return (n + n_threads - 1) / n_threads;
    }

    /// @tparam Count an unsigned type, to which numbers of threads behind the last one fit
    template <typename Count, typename Work>
    __global__ void
    __launch_bounds__(n_threads) work_kernel(const Count n, const Work work)
    {
      const Count i = static_cast<Count>(blockIdx.x) * n_threads + threadIdx.x;
      if (i < n)
        work(i);
    }

    struct NoFasterKernels
    {
      /// Whether a faster kernel did it.
      template <typename Index, typename Work>
      static bool
      run(const Index, const Work &)
      {
        return false;
      }
    };

    /// The back end of a WorkList.
    /// @tparam Faster kernels for some of them, see NoFasterKernels
    template <typename Faster = NoFasterKernels>
    struct CudaThreads
    {
      template <typename Work>
      static void
      run(const typename WorkIndex<Work>::type n, const Work &work)
      {
        using Count = std::make_unsigned_t<typename WorkIndex<Work>::type>;
        if (!Faster::run(n, work))
          work_kernel<Count><<<n_thread_blocks(n), n_threads, 0, CudaRuntime::stream()>>>(n, work);
        CudaRuntime::check_launch("work of one thread each");
      }

      template <typename Work>
      static bool
      enrol()
      {
        WorkRegistry<Work>::cuda = &run<Work>;
        return true;
      }
    };
  } // namespace
} // namespace Saltus

#endif
