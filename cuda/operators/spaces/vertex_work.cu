// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/spaces/vertex_work.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool enrolled =
      VertexWork<double>::enrol<CudaThreads<>>() && VertexWork<float>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
