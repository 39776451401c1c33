// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_boundary_fluxes_h
#define saltus_operators_polytopic_polytopic_boundary_fluxes_h

#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>
#include <saltus/operators/polytopic/polytopic_operator.h>

#include <set>
#include <vector>

namespace Saltus
{
  /// The diffusive fluxes that PolytopicOperator tests at this rank's faces on the boundary:
  /// \f$ -n\cdot A\nabla u \f$ with the penalty at Dirichlet boundaries, at others as given.
  /// Without advection, the integrals of these fluxes over the whole boundary and of the reaction
  /// sum up to that of the source. The sum is exact to rounding and the solver's tolerance.
  /// Computed on the host. Collective.
  /// @param coefficients `[dof]` of this rank
  /// @param ids of the faces wanted
  template <int dim>
  std::vector<EllipticFaceFluxes<dim>>
  boundary_fluxes(const PolytopicOperator<dim>               &op,
                  const std::vector<double>                  &coefficients,
                  const std::set<dealii::types::boundary_id> &ids);
} // namespace Saltus

#endif
