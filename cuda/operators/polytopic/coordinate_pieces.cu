// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/polytopic/kernels/coordinate_pieces.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled = CoordinateWork<SALTUS_DIMENSION>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
