// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/slip_wall.h>

#include <cuda/base/device/context.cuh>
#include <cuda/operators/elliptic/hypercube_laplace.cuh>
#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int  dim       = SALTUS_DIMENSION;
    constexpr auto hypercube = ElementShape::hypercube;

    [[maybe_unused]] const bool enrolled =
      enrol_of_any_degree<SlipWallFamily<dim, double>, hypercube>(
        max_laplace_degree(dim, hypercube)) &&
      enrol_laplace_on_hypercubes<dim, double, dim>();
  } // namespace
} // namespace Saltus
