// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/instruction_set.h>
#include <saltus/operators/element_kernels.h>

namespace Saltus
{
  template <typename Number>
  const ElementKernels<Number> &
  element_kernels(const Device device)
  {
    using Registry = ElementKernelRegistry<Number>;
    return device.is_cuda() ? *Registry::cuda : *Registry::cpu[instruction_set_level()];
  }

  template const ElementKernels<double> &
  element_kernels(const Device device);
  template const ElementKernels<float> &
  element_kernels(const Device device);
} // namespace Saltus
