// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_linear_solver_h
#define applications_poisson_linear_solver_h

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/solve_report.h>

#include "parameters.h"
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Saltus::Poisson
{
  /// The solver and the preconditioner that the section `Solver` names, for one operator. The two
  /// choices are made in one function each: make_preconditioner() and solve().
  template <int dim>
  class LinearSolver
  {
  public:
    /// Sets up the preconditioner; multigrid says how large its levels are.
    /// @param A is not copied and must live as long
    LinearSolver(const LaplaceOperator<dim> &A, const SolverParameters &parameters);

    /// Solve \f$ A x = b \f$ from the initial guess @p x.
    /// @throws NoConvergence with the history of the residuals if the iteration does not converge
    SolveReport
    solve(Vector<double> &x, const Vector<double> &b) const;

    /// Parts of the set-up of the preconditioner and the seconds that they took.
    const std::vector<std::pair<std::string, double>> &
    set_up_times() const
    {
      return seconds;
    }

    /// Parts of an iteration of the last solve and their seconds: the product with the operator,
    /// the parts of multigrid, and what is left; nothing for other preconditioners.
    /// @param report of the solve
    std::vector<std::pair<std::string, double>>
    time_parts(const SolveReport &report) const;

  private:
    void
    make_preconditioner();

    /// Use @p matrix, an approximate inverse with `vmult`, as preconditioner.
    template <typename Matrix>
    void
    apply(const std::shared_ptr<Matrix> &matrix);

    template <typename Number>
    void
    make_multigrid();

    /// A preconditioner of Trilinos on the assembled matrix.
    void
    make_host_preconditioner();

    /// AztecOO keeps its vectors on the host.
    SolveReport
    solve_on_host(Vector<double> &x, const Vector<double> &b) const;

    const LaplaceOperator<dim> &A;
    const SolverParameters      parameters;
    LinearMap<double>           preconditioner; ///< the identity if there is none
    std::shared_ptr<const void> behind;         ///< the object that it applies

    using Times = std::vector<std::pair<std::string, double>>;
    Times                  seconds;        ///< see set_up_times()
    std::function<Times()> time_multigrid; ///< if that is the preconditioner

    dealii::TrilinosWrappers::SparseMatrix                      matrix; ///< if it was assembled
    std::unique_ptr<dealii::TrilinosWrappers::PreconditionBase> host_preconditioner;
  };
} // namespace Saltus::Poisson

#endif
