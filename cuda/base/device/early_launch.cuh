// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_early_launch_cuh
#define saltus_cuda_base_device_early_launch_cuh

// Launches of kernels that begin early, see early_begin.cuh.

#include <cuda/base/device/context.cuh>
#include <cuda/base/device/early_begin.cuh>
#include <map>
#include <utility>

namespace Saltus::CudaRuntime
{
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
