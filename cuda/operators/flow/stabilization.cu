// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/stabilization_element.h>

#include <cuda/operators/flow/stabilization_tensor.cuh>
#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    template <typename Family, int degree>
    using Fast =
      CudaKernels::ElementWarpLauncher<CudaKernels::StabilizationWarp<Family::dim, degree>>;

    [[maybe_unused]] const bool enrolled =
      enrol<StabilizationFamily<SALTUS_DIMENSION, double>, Fast>();
  } // namespace
} // namespace Saltus
