// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/kernels/hanging_terms.h>

#include <cuda/base/device/context.cuh>
#include <cuda/operators/elliptic/hypercube_laplace.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    template <typename Number>
    bool
    enrol_hypercubes()
    {
      return enrol_laplace_on_hypercubes<dim, Number, 1>() &&
             HangingTermsWork<dim, 1, Number>::template enrol<CudaThreads<>>();
    }

    [[maybe_unused]] const bool enrolled = enrol_hypercubes<double>() && enrol_hypercubes<float>();
  } // namespace
} // namespace Saltus
