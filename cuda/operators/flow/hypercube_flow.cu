// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element.h>
#include <saltus/operators/flow/kernels/stabilization_element.h>

#include <cuda/operators/flow/hypercube_flow.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled =
      for_flow_families<dim, double>(
        [](const auto family) { return enrol_hypercube_flow<std::decay_t<decltype(family)>>(); }) &&
      enrol_hypercube_flow<StabilizationFamily<dim, double>>();
  } // namespace
} // namespace Saltus
