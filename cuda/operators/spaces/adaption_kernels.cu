// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/adaption_work.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled =
      AdaptionWork<double>::enrol<CudaThreads<>>() && AdaptionWork<float>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
