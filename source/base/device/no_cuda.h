// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_base_device_no_cuda_h
#define saltus_source_base_device_no_cuda_h

#include <stdexcept>

/// For the files that stand in for CUDA code in a build without CUDA.
namespace Saltus::CudaRuntime
{
  [[noreturn]] inline void
  unavailable()
  {
    throw std::runtime_error("CUDA: this build of Saltus has no CUDA back end");
  }
} // namespace Saltus::CudaRuntime

#endif
