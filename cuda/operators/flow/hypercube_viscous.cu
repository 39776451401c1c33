// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <cuda/base/device/context.cuh>
#include <cuda/operators/elliptic/hypercube_laplace.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled = enrol_laplace_on_hypercubes<dim, double, dim>();
  } // namespace
} // namespace Saltus
