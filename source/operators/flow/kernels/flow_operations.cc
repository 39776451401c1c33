// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element_operations.h>

#include "../../blocks/kernels/element_operations.h"

namespace
{
  [[maybe_unused]] const bool enrolled =
    FlowElementOperations<SALTUS_DIMENSION, double>::enrol<Cpu<double>>();
} // namespace
