// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_pressure_penalty_h
#define saltus_operators_flow_pressure_penalty_h

#include <saltus/fe/cell_shape.h>

namespace Saltus
{
  /// What the penalty of the pressure's LaplaceOperator is multiplied with in a splitting scheme,
  /// in which it stands for the divergence of FlowOperators' gradient: a step takes energy away
  /// only if it is not much smaller than that, \f$ \int |Gq|^2 \f$, in which jumps of pressures are
  /// lifted to velocities. On hypercubes the penalty of the pressure's degree k is just that of a
  /// positive form and too small for velocities of a degree p > k, whose traces \f$ (p+1)(p+2)/h
  /// \f$ bounds at both ends of a line; on simplices the sum over all faces leaves enough.
  template <int dim>
  double
  pressure_penalty_factor(const CellShape<dim> &shape,
                          const unsigned int    velocity_degree,
                          const unsigned int    pressure_degree)
  {
    const double p = velocity_degree, k = pressure_degree;
    return shape.is_simplex() ? 1. : (p + 1) * (p + 2) / ((k + 1) * (k + 2));
  }
} // namespace Saltus

#endif
