// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/slip_wall.h>

#include "../../elliptic/kernels/hypercube_laplace_kernels.h"

namespace
{
  constexpr int  dim       = SALTUS_DIMENSION;
  constexpr auto hypercube = ElementShape::hypercube;

  [[maybe_unused]] const bool enrolled =
    enrol<SlipWallFamily<dim, double>, 1, hypercube>(max_laplace_degree(dim, hypercube)) &&
    enrol_laplace_on_hypercubes<dim, double, dim>();
} // namespace
