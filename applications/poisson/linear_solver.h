// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_linear_solver_h
#define applications_poisson_linear_solver_h

#include <saltus/base/vector.h>
#include <saltus/operators/laplace_operator.h>

#include "parameters.h"
#include <functional>
#include <vector>

namespace Saltus::Poisson
{
  /// An approximate inverse of an operator, whatever it is made of.
  struct Preconditioner
  {
    void
    vmult(Vector<double> &dst, const Vector<double> &src) const
    {
      apply(dst, src);
    }

    std::function<void(Vector<double> &, const Vector<double> &)> apply;
  };


  /// What an iteration took.
  struct SolveReport
  {
    std::vector<double> residuals; ///< norms, the initial one and one an iteration
    double              seconds = 0;
  };


  /// Set up the preconditioner that `Solver/Preconditioner` names.
  template <int dim>
  Preconditioner
  make_preconditioner(const LaplaceOperator<dim> &A, const SolverParameters &parameters);


  /// Solve \f$ A x = b \f$ with the solver that `Solver/Type` names, from the initial guess @p x.
  /// @throws dealii::ExcMessage with the history of the residuals if the iteration does not
  /// converge
  template <int dim>
  SolveReport
  solve(const LaplaceOperator<dim> &A,
        Vector<double>             &x,
        const Vector<double>       &b,
        const Preconditioner       &preconditioner,
        const SolverParameters     &parameters);
} // namespace Saltus::Poisson

#endif
