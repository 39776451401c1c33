// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/solver_gmres.h>

#include <saltus/solvers/krylov/gmres.h>

#include "recorded_solve.h"

namespace Saltus
{
  template <typename Number>
  SolveReport
  solve_gmres(const typename LinearMap<Number>::Argument &matrix,
              Vector<Number>                             &x,
              const Vector<Number>                       &b,
              const typename LinearMap<Number>::Argument &preconditioner,
              const SolverSettings                       &settings,
              const unsigned int                          n_vectors)
  {
    using Solver = dealii::SolverFGMRES<Vector<Number>>;
    return recorded_solve("deal.II GMRES",
                          SystemMatrix::any,
                          matrix,
                          x,
                          b,
                          settings,
                          [&](RecordingControl     &control,
                              Vector<Number>       &x,
                              const Vector<Number> &b) {
                            const typename Solver::AdditionalData data(n_vectors);
                            Solver(control, data).solve(matrix, x, b, preconditioner);
                          });
  }

  template SolveReport
  solve_gmres<double>(const LinearMap<double> &,
                      Vector<double> &,
                      const Vector<double> &,
                      const LinearMap<double> &,
                      const SolverSettings &,
                      const unsigned int);
} // namespace Saltus
