// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "multiply_adds.h"

#include <saltus/base/instruction_set.h>

namespace Saltus::Throughput
{
  template <typename Number>
  double
  multiply_adds(const Device device)
  {
    using Registry = MultiplyAddsRegistry<Number>;
    return device.is_cuda() ? Registry::cuda() : Registry::cpu[instruction_set_level()]();
  }

  template double
  multiply_adds<double>(const Device);
  template double
  multiply_adds<float>(const Device);
} // namespace Saltus::Throughput
