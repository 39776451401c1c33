// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/kernels/boundary_data_element.h>

#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled =
      enrol_of_any_degree<BoundaryDataFamily<dim, double, 1>>() &&
      enrol_of_any_degree<BoundaryDataFamily<dim, float, 1>>() &&
      enrol_of_any_degree<BoundaryDataFamily<dim, double, dim>>();
  } // namespace
} // namespace Saltus
