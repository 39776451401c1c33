// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/kernels/viscous_boundary.h>

#include <cuda/operators/elliptic/laplace_kernels.cuh>
#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    [[maybe_unused]] const bool enrolled =
      enrol_of_any_degree<ViscousBoundaryFamily<dim, double>>() &&
      register_laplace_kernels<dim, double, dim>();
  } // namespace
} // namespace Saltus
