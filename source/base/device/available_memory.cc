// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/out_of_memory.h>

namespace Saltus
{
  std::size_t
  available_memory(const Device device)
  {
    device.make_current();
    return device.is_cuda() ? CudaRuntime::available_memory() : available_host_memory();
  }
} // namespace Saltus
