// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/step_size.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled =
      WorkList<GetShortness, SetStepOfShortness, ShortestStep>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
