// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_aztecoo_h
#define saltus_solvers_krylov_aztecoo_h

#include <deal.II/base/array_view.h>

#include <saltus/solvers/krylov/solve_report.h>

#include <Epetra_Operator.h>

namespace Saltus
{
  /// Solve \f$A x = b\f$ for a symmetric positive matrix with the conjugate gradients of Trilinos'
  /// AztecOO, with vectors on the host that have this rank's entries in deal.II's numbering.
  ///
  /// @param matrix an EpetraOperator, or the `trilinos_matrix()` of a
  /// dealii::TrilinosWrappers::SparseMatrix
  /// @param x the initial guess, then the solution
  /// @param preconditioner its ApplyInverse is used: an EpetraPreconditioner, or the
  /// `trilinos_operator()` of a dealii::TrilinosWrappers::PreconditionBase; null: none
  /// @throws NoConvergence if the tolerance is not reached, a residual is not a number, or AztecOO
  /// reports a breakdown
  SolveReport
  solve_aztecoo(const Epetra_Operator          &matrix,
                dealii::ArrayView<double>       x,
                dealii::ArrayView<const double> b,
                const Epetra_Operator          *preconditioner = nullptr,
                const SolverSettings           &settings       = {});

  /// The same for vectors of deal.II: dealii::Vector or LinearAlgebra::distributed::Vector.
  template <typename VectorType>
  SolveReport
  solve_aztecoo(const Epetra_Operator &matrix,
                VectorType            &x,
                const VectorType      &b,
                const Epetra_Operator *preconditioner = nullptr,
                const SolverSettings  &settings       = {})
  {
    using dealii::ArrayView;
    return solve_aztecoo(matrix,
                         ArrayView<double>(x.begin(), x.end() - x.begin()),
                         ArrayView<const double>(b.begin(), b.end() - b.begin()),
                         preconditioner,
                         settings);
  }
} // namespace Saltus

#endif
