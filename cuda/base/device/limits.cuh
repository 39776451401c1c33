// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_limits_cuh
#define saltus_cuda_base_device_limits_cuh

// The limits of the device that a kernel is compiled for. The compiler's options set them.

namespace Saltus::CudaKernels
{
  constexpr int  shared_memory_of_block  = SALTUS_SHARED_MEMORY_OF_BLOCK; ///< in bytes
  constexpr bool has_double_tensor_cores = SALTUS_DOUBLE_TENSOR_CORES;
} // namespace Saltus::CudaKernels

#endif
