// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_check_cuh
#define saltus_cuda_base_device_check_cuh

#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace Saltus::CudaRuntime
{
  /// Whether a call succeeded. If not, no later check finds its error, which CUDA keeps.
  inline bool
  succeeds(const cudaError_t status)
  {
    if (status != cudaSuccess)
      cudaGetLastError();
    return status == cudaSuccess;
  }

  /// Throw std::runtime_error with CUDA's message if a call failed.
  inline void
  check(const cudaError_t status, const char *what)
  {
    if (!succeeds(status))
      throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
  }

  /// The same for the kernel launched last.
  inline void
  check_launch(const char *kernel)
  {
    check(cudaGetLastError(), kernel);
  }

  /// Whether the device had the memory for a call. Throw as check() if the call failed otherwise.
  inline bool
  has_memory(const cudaError_t status, const char *what)
  {
    if (status != cudaErrorMemoryAllocation)
      check(status, what);
    return succeeds(status);
  }

  /// The stream of the work of the current device; the other one within beside(), and one of the
  /// thread's own while it records a graph.
  cudaStream_t
  stream();
} // namespace Saltus::CudaRuntime

#endif
