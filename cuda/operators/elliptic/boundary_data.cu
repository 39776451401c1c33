// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/kernels/boundary_data_element.h>

#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int dim = SALTUS_DIMENSION;

    template <typename Number, int n_components>
    bool
    enrol_for_shapes()
    {
      using Family             = BoundaryDataFamily<dim, Number, n_components>;
      constexpr auto hypercube = ElementShape::hypercube;
      return enrol_of_any_degree<Family>() &&
             enrol_of_any_degree<Family, hypercube>(max_laplace_degree(dim, hypercube));
    }

    [[maybe_unused]] const bool enrolled = enrol_for_shapes<double, 1>() &&
                                           enrol_for_shapes<float, 1>() &&
                                           enrol_for_shapes<double, dim>();
  } // namespace
} // namespace Saltus
