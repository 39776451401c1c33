// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/stabilization_element.h>

#include "../../spaces/kernels/range_kernels.h"

namespace
{
  [[maybe_unused]] const bool enrolled = enrol<StabilizationFamily<SALTUS_DIMENSION, double>>();
} // namespace
