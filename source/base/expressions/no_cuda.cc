// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "../device/no_cuda.h"

#include <saltus/base/expressions/point_kernel.h>

namespace Saltus
{
  std::vector<char>
  compile_point_kernel(const std::string &, const int, std::string &reason)
  {
    reason = "this build of Saltus has no CUDA back end";
    return {};
  }

  std::shared_ptr<const PointKernel>
  make_point_kernel(const std::string &, std::string &)
  {
    CudaRuntime::unavailable();
  }
} // namespace Saltus
