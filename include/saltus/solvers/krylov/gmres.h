// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_gmres_h
#define saltus_solvers_krylov_gmres_h

#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/solve_report.h>

namespace Saltus
{
  /// Solve \f$A x = b\f$ for any matrix with deal.II's flexible GMRES (dealii::SolverFGMRES), where
  /// the vectors are. Flexible, because a preconditioner in single precision is linear only as far
  /// as that goes, which costs the other one half of its iterations.
  ///
  /// @param x the initial guess, then the solution
  /// @param n_vectors iterations before it starts again, each with two vectors to keep
  /// @throws NoConvergence if the tolerance is not reached or a residual is not a number
  template <typename Number>
  SolveReport
  solve_gmres(const typename LinearMap<Number>::Argument &matrix,
              Vector<Number>                             &x,
              const Vector<Number>                       &b,
              const typename LinearMap<Number>::Argument &preconditioner = {},
              const SolverSettings                       &settings       = {},
              const unsigned int                          n_vectors      = 60);
} // namespace Saltus

#endif
