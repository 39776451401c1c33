// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "multiply_adds.h"

#include <saltus/base/device/instruction_set.h>

namespace Saltus::Throughput
{
  template <typename Unit>
  double
  multiply_adds(const Device device)
  {
    using Registry = MultiplyAddsRegistry<Unit>;
    const auto run = device.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
    return run == nullptr ? 0 : run();
  }

  template double
  multiply_adds<double>(const Device);
  template double
  multiply_adds<float>(const Device);
  template double
  multiply_adds<TensorCores>(const Device);
} // namespace Saltus::Throughput
