// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_early_launch_cuh
#define saltus_cuda_base_device_early_launch_cuh

// A kernel that begins while the one launched before it still runs (programmatic dependent launch,
// as from compute capability 9.0 on): all blocks of the one before call let_next_kernel_begin(),
// and the next one is launched by launch_early() and calls wait_for_kernel_before() before it reads
// what that one writes. Elsewhere it begins when the one before has ended. What the one before
// writes is not read by __ldg(): the compiler takes it for constant in the whole kernel, and may
// read it before the wait.

#include <cuda/base/device/context.cuh>
#include <map>
#include <utility>

namespace Saltus::CudaRuntime
{
  __device__ __forceinline__ void
  let_next_kernel_begin()
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
  }

  /// Until it has ended and what it wrote can be seen.
  __device__ __forceinline__ void
  wait_for_kernel_before()
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }

  namespace
  {
    /// Whether the code of a kernel on the current device can wait, which is asked once: a kernel
    /// that was compiled for an older device is compiled again for this one as it is.
    inline bool
    can_wait(const void *kernel)
    {
      thread_local std::map<std::pair<int, const void *>, bool> known;

      const std::pair<int, const void *> key(current_device(), kernel);
      const auto                         entry = known.find(key);
      if (entry != known.end())
        return entry->second;
      cudaFuncAttributes code;
      check(cudaFuncGetAttributes(&code, kernel), "asking for a kernel's version");
      return known[key] = code.ptxVersion >= 90;
    }

    template <typename... Parameters>
    void
    launch_early(void (*kernel)(Parameters...),
                 const int n_blocks,
                 const int n_threads,
                 const int shared_bytes,
                 const Parameters &...arguments)
    {
      cudaLaunchAttribute early{};
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
      cudaLaunchConfig_t config{};
      config.gridDim          = n_blocks;
      config.blockDim         = n_threads;
      config.dynamicSmemBytes = shared_bytes;
      config.stream           = stream();
      config.attrs            = &early;
      config.numAttrs         = can_wait(reinterpret_cast<const void *>(kernel)) ? 1 : 0;
      check(cudaLaunchKernelEx(&config, kernel, arguments...), "launching a kernel");
    }
  } // namespace
} // namespace Saltus::CudaRuntime

#endif
