// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element.h>

#include "../../spaces/kernels/range_kernels.h"

namespace
{
  [[maybe_unused]] const bool enrolled = for_flow_families<SALTUS_DIMENSION, double>(
    [](const auto family) { return enrol<std::decay_t<decltype(family)>>(); });
} // namespace
