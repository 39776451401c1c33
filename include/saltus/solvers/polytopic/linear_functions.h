// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_polytopic_linear_functions_h
#define saltus_solvers_polytopic_linear_functions_h

#include <saltus/operators/polytopic/polytopic_space.h>

#include <vector>

namespace Saltus
{
  /// `[function][dof]`: the coefficients of 1 and of the coordinates, for this rank. These are what
  /// algebraic multigrid must be told, as the sum of all functions of a basis is not constant here.
  template <int dim>
  std::vector<std::vector<double>>
  linear_functions(const PolytopicSpace<dim> &space);
} // namespace Saltus

#endif
