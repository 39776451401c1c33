// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_linear_solver_h
#define applications_poisson_linear_solver_h

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/elliptic/mixed_laplace_operator.h>
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
  /// @tparam Operator LaplaceOperator, or MixedLaplaceOperator where shapes are mixed, for which
  /// not all of them exist: see Parameters::check()
  template <typename Operator>
  class LinearSolver
  {
  public:
    using VectorType = typename Operator::VectorType;

    /// Sets up the preconditioner; multigrid says how large its levels are.
    /// @param A is not copied and must live as long
    LinearSolver(const Operator &A, const SolverParameters &parameters);

    /// Solve \f$ A x = b \f$ from the initial guess @p x.
    /// @throws NoConvergence with the history of the residuals if the iteration does not converge
    SolveReport
    solve(VectorType &x, const VectorType &b) const;

    /// Parts of the set-up of multigrid and their seconds; empty for other preconditioners.
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

    const Operator               &A;
    const SolverParameters        parameters;
    LinearMap<double, VectorType> preconditioner; ///< the identity if there is none
    std::shared_ptr<const void>   behind;         ///< the object that it applies

    using Times = std::vector<std::pair<std::string, double>>;
    Times                  seconds;        ///< see set_up_times()
    std::function<Times()> time_multigrid; ///< if that is the preconditioner

    dealii::TrilinosWrappers::SparseMatrix                      matrix; ///< if it was assembled
    std::unique_ptr<dealii::TrilinosWrappers::PreconditionBase> host_preconditioner;
  };
} // namespace Saltus::Poisson

#endif
