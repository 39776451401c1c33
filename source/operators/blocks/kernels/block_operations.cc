// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "element_operations.h"

namespace
{
  [[maybe_unused]] const bool enrolled =
    BlockOperations<double>::enrol<Cpu<double>>() && BlockOperations<float>::enrol<Cpu<float>>();
} // namespace
