// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/kernels/boundary_data_element.h>

#include "../../spaces/kernels/range_kernels.h"

namespace
{
  constexpr int dim = SALTUS_DIMENSION;

  [[maybe_unused]] const bool enrolled = enrol<BoundaryDataFamily<dim, double, 1>, 1>() &&
                                         enrol<BoundaryDataFamily<dim, float, 1>, 1>() &&
                                         enrol<BoundaryDataFamily<dim, double, dim>, 1>();
} // namespace
