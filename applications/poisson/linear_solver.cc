// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <saltus/solvers/aztecoo.h>
#include <saltus/solvers/belos.h>
#include <saltus/solvers/cg.h>
#include <saltus/solvers/epetra_operator.h>

namespace Saltus::Poisson
{
  template <int dim>
  LinearSolver<dim>::LinearSolver(const LaplaceOperator<dim> &A, const SolverParameters &parameters)
    : A(A)
    , parameters(parameters)
  {
    make_preconditioner();
  }


  template <int dim>
  void
  LinearSolver<dim>::make_preconditioner()
  {
    AssertThrow(parameters.preconditioner == "none",
                dealii::ExcMessage("There is no preconditioner '" + parameters.preconditioner +
                                   "'."));
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve(Vector<double> &x, const Vector<double> &b) const
  {
    if (parameters.type == "AztecOO")
      return solve_on_host(x, b);
    if (parameters.type == "Belos")
      return solve_belos<double>(A,
                                 x,
                                 b,
                                 preconditioner,
                                 parameters.settings,
                                 parameters.block_belos ? BelosMethod::block_cg
                                                        : BelosMethod::pseudo_block_cg);
    return solve_cg<double>(A, x, b, preconditioner, parameters.settings);
  }


  template <int dim>
  SolveReport
  LinearSolver<dim>::solve_on_host(Vector<double> &x, const Vector<double> &b) const
  {
    dealii::Vector<double> x_host, b_host;
    A.copy_to(x_host, x);
    A.copy_to(b_host, b);
    const EpetraOperator                        matrix(A);
    std::unique_ptr<const EpetraPreconditioner> adaptor;
    if (!preconditioner.is_identity())
      adaptor = std::make_unique<EpetraPreconditioner>(A, preconditioner);
    const SolveReport report =
      solve_aztecoo(matrix, x_host, b_host, adaptor.get(), parameters.settings);
    A.copy_from(x, x_host);
    return report;
  }


  template class LinearSolver<2>;
  template class LinearSolver<3>;
} // namespace Saltus::Poisson
