// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/polytopic/kernels/prism_pieces.h>
#include <saltus/operators/polytopic/kernels/space_time_records.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled_slabs =
      SpaceTimeWork<SALTUS_DIMENSION>::enrol<CudaThreads<>>() &&
      PrismWork<SALTUS_DIMENSION>::enrol<CudaThreads<>>() &&
      (SALTUS_DIMENSION != 2 || PrismRecordWork::enrol<CudaThreads<>>());
  } // namespace
} // namespace Saltus
