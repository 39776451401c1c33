// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <cuda/operators/viscous_kernels.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool registered = register_viscous_kernels<3, double>();
  } // namespace
} // namespace Saltus
