// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_linear_solver_h
#define applications_polytopic_linear_solver_h

#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/solve_report.h>

#include "parameters.h"
#include <memory>
#include <string>

namespace Saltus::Polytopic
{
  /// That there is room for a matrix and, as far as that is known before, for what the solver makes
  /// of it. Collective.
  /// @throws dealii::ExcMessage on all ranks if there is not
  void
  check_memory_of_solver(const BlockSparsity    &sparsity,
                         const SolverParameters &parameters,
                         const Device            device,
                         const MPI_Comm          communicator);


  /// A line that polynomials of elements are so nearly dependent that the solver's tolerance may
  /// leave large errors, if that is so; else nothing. Collective.
  /// @param matrix which tells, see smallest_pivot()
  /// @param axes of the elements' boxes
  /// @throws dealii::ExcMessage on all ranks for a matrix that is not finite
  std::string
  note_on_dependence(const BlockCSRMatrix<double> &matrix,
                     const SolverParameters       &parameters,
                     const BoxAxes                 axes);


  /// The solver and the preconditioner that the section `Solver` names, for one matrix.
  template <int dim>
  class LinearSolver
  {
  public:
    /// Sets up the preconditioner, if it is not multigrid.
    /// @param matrix is not copied and must live as long
    /// @param near_null_vectors `[vector][dof]` for algebraic multigrid; empty: ones
    LinearSolver(const BlockCSRMatrix<double>           &matrix,
                 const SolverParameters                 &parameters,
                 const MPI_Comm                          communicator,
                 const std::vector<std::vector<double>> &near_null_vectors = {});

    /// Also that; it says how large its levels are.
    LinearSolver(const PolytopicOperator<dim> &op,
                 const BlockCSRMatrix<double> &matrix,
                 const SolverParameters       &parameters);

    /// Solve \f$ A x = b \f$ from the initial guess @p x.
    /// @throws NoConvergence with the history of the residuals if the iteration does not converge
    SolveReport
    solve(Vector<double> &x, const Vector<double> &b) const;

  private:
    template <typename Number>
    void
    make_multigrid(const PolytopicOperator<dim> &op);

    /// Copy the matrix to Trilinos, each rank its rows.
    void
    make_host_solver(const std::vector<std::vector<double>> &near_null_vectors);

    void
    make_amg(const std::vector<std::vector<double>> &near_null_vectors);

    SolveReport
    solve_on_host(Vector<double> &x, const Vector<double> &b) const;

    /// Solve \f$ A x = b \f$ from zero as well as Trilinos can.
    /// @param complaint what it says if it gives up for another reason than a residual
    /// @return the iterations
    unsigned int
    run_on_host(Vector<double>        &x,
                const Vector<double>  &b,
                const ResidualHistory &history,
                std::string           &complaint) const;

    const BlockCSRMatrix<double> &A;
    const MPI_Comm                communicator;
    const SolverParameters        parameters;
    LinearMap<double>             preconditioner;
    std::shared_ptr<const void>   behind; ///< what it points to

    dealii::TrilinosWrappers::SparseMatrix                      matrix;
    std::unique_ptr<dealii::TrilinosWrappers::PreconditionBase> host_preconditioner;
    dealii::SolverControl control_of_factors{100, 1e-10, false, false};
    std::unique_ptr<dealii::TrilinosWrappers::SolverDirect> factors; ///< if it is direct
  };
} // namespace Saltus::Polytopic

#endif
