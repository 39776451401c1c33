// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "flow_kernels.h"

namespace
{
  [[maybe_unused]] const bool registered = register_flow_kernels<SALTUS_DIMENSION, double>();
} // namespace
