// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/slip_wall.h>

#include "../../elliptic/kernels/laplace_kernels.h"

namespace
{
  constexpr int dim = SALTUS_DIMENSION;

  [[maybe_unused]] const bool enrolled =
    enrol<SlipWallFamily<dim, double>, 1>() && register_laplace_kernels<dim, double, dim>();
} // namespace
