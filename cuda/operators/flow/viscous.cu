// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/slip_wall.h>

#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled = enrol_of_any_degree<SlipWallFamily<dim, double>>();
  } // namespace
} // namespace Saltus
