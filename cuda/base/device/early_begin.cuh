// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_early_begin_cuh
#define saltus_cuda_base_device_early_begin_cuh

// A kernel that begins while the one launched before it still runs (programmatic dependent launch,
// as from compute capability 9.0 on): all blocks of the one before call let_next_kernel_begin(),
// and the next one, see GpuKernel::Options, calls wait_for_kernel_before() before it reads what
// that one writes. Elsewhere it begins when the one before has ended. A kernel does not use
// __ldg() for results of the kernel before: the compiler takes them for constant and may read them
// before the wait.

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
} // namespace Saltus::CudaRuntime

#endif
