// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_work_program_cuh
#define saltus_cuda_base_device_work_program_cuh

// The program of launch() for work on one number at a time, see saltus/base/device/launch.h.

#include <saltus/base/device/launch_shape.h>
#include <saltus/base/device/work_index.h>

namespace Saltus::CudaKernels
{
  /// Work for one number at a time: a thread for each.
  template <typename Work>
  struct WorkProgram
  {
    using Index = typename WorkIndex<Work>::type;
    using Count = std::make_unsigned_t<Index>; ///< the numbers of threads behind the last one fit

    static constexpr LaunchShape shape{128, 128};

    static __device__ __forceinline__ void
    run(const Index n, const Work &work)
    {
      const Count i = static_cast<Count>(blockIdx.x) * shape.n_threads + threadIdx.x;
      if (i < static_cast<Count>(n))
        work(i);
    }
  };
} // namespace Saltus::CudaKernels

#endif
