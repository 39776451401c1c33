// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/mixed_jumps.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled =
      MixedJumpWork<SALTUS_DIMENSION, double>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
