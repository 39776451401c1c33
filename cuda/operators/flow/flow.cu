// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element.h>

#include <cuda/operators/flow/flow_tensor.cuh>
#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    template <typename Family, int degree>
    using Fast =
      CudaKernels::ElementWarpLauncher<CudaKernels::FlowWarp<typename Family::Form, degree>>;

    [[maybe_unused]] const bool enrolled = for_flow_families<SALTUS_DIMENSION, double>(
      [](const auto family) { return enrol<std::decay_t<decltype(family)>, Fast>(); });
  } // namespace
} // namespace Saltus
