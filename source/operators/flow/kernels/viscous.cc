// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "viscous_kernels.h"

namespace
{
  [[maybe_unused]] const bool registered = register_viscous_kernels<SALTUS_DIMENSION, double>();
} // namespace
