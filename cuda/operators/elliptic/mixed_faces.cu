// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/kernels/mixed_face_work.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled = MixedFaceWork<dim, double>::enrol<CudaThreads<>>() &&
                                           MixedFaceWork<dim, float>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
