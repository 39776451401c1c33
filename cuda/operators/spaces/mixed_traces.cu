// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/mixed_traces.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled = MixedTracesWork<double>::enrol<CudaThreads<>>() &&
                                           MixedTracesWork<float>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
