// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/device/say_once.h>

namespace Saltus
{
  void
  GpuKernel::report_slower_form(const std::string &name, const char *const otherwise) const
  {
    const LaunchShape &form   = shape();
    const char        *reason = form.is_general ? otherwise : nullptr;
    if (form.lacks_tensor_cores)
      reason = "the faster ones need tensor cores for double precision, as data center GPUs have "
               "them from compute capability 8.0 on";
    if (form.lacks_shared_memory)
      reason = "the faster ones need more shared memory than a block has on this GPU";
    if (reason != nullptr)
      say_once(name + " are slower: " + reason);
  }
} // namespace Saltus
