// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/operators/spaces/step_size.h>

#include <cuda/base/device/context.cuh>

namespace Saltus
{
  namespace
  {
    __global__ void
    get_shortness(const TimeState *state, long long *number)
    {
      *number = shortness(*state);
    }

    __global__ void
    set_step(TimeState *state, const long long *number)
    {
      set_step_of_shortness(*state, *number);
    }

    [[maybe_unused]] const bool registered = [] {
      StepKernels::get_shortness = [](const TimeState *state, long long *number) {
        get_shortness<<<1, 1, 0, CudaRuntime::stream()>>>(state, number);
        CudaRuntime::check_launch("agreeing on a step");
      };
      StepKernels::set_step = [](TimeState *state, const long long *number) {
        set_step<<<1, 1, 0, CudaRuntime::stream()>>>(state, number);
        CudaRuntime::check_launch("agreeing on a step");
      };
      return true;
    }();
  } // namespace
} // namespace Saltus
