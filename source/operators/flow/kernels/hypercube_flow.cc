// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element.h>
#include <saltus/operators/flow/kernels/stabilization_element.h>

#include "hypercube_flow_element.h"

namespace
{
  [[maybe_unused]] const bool enrolled =
    for_flow_families<SALTUS_DIMENSION, double>(
      [](const auto family) { return enrol_hypercube_flow<std::decay_t<decltype(family)>>(); }) &&
    enrol_hypercube_flow<StabilizationFamily<SALTUS_DIMENSION, double>>();
} // namespace
