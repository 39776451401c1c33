// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/flow_element.h>
#include <saltus/operators/flow/kernels/hanging_flow.h>
#include <saltus/operators/flow/kernels/stabilization_element.h>

#include <cuda/operators/flow/hypercube_flow.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled =
      for_flow_families<dim, double>([](const auto family) {
        using Family = std::decay_t<decltype(family)>;
        using Flux   = DerivativeFlux<typename Family::Form, double>;
        return enrol_hypercube_flow<Family>() &&
               HangingFlowWork<Flux>::template enrol<CudaThreads<>>();
      }) &&
      enrol_hypercube_flow<StabilizationFamily<dim, double>>() &&
      HangingFlowWork<JumpFlux<dim, double>>::enrol<CudaThreads<>>();
  } // namespace
} // namespace Saltus
