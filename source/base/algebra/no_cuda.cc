// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "../device/no_cuda.h"

#include <saltus/base/algebra/vector_kernels.h>

namespace Saltus
{
  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels()
  {
    CudaRuntime::unavailable();
  }

  template const VectorKernels<double> &
  cuda_vector_kernels();
  template const VectorKernels<float> &
  cuda_vector_kernels();
} // namespace Saltus
