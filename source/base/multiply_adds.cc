// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/instruction_set.h>
#include <saltus/base/multiply_adds.h>

namespace Saltus
{
  template <typename Number>
  double
  multiply_adds(const Device device)
  {
    if (device.is_cuda())
      return CudaRuntime::multiply_adds(sizeof(Number) == sizeof(double));
    return MultiplyAddsRegistry<Number>::cpu[instruction_set_level()]();
  }

  template double
  multiply_adds<double>(const Device);
  template double
  multiply_adds<float>(const Device);
} // namespace Saltus
