// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_epetra_matrix_h
#define saltus_solvers_krylov_epetra_matrix_h

#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/base/algebra/gathered_matrix.h>

#include <Epetra_CrsMatrix.h>
#include <memory>

namespace Saltus
{
  /// A matrix of Trilinos that has all its rows on this process.
  /// @throws dealii::ExcMessage if it has not
  CompressedRows
  compressed_rows(const Epetra_CrsMatrix &matrix);

  /// The same matrix as one of Trilinos, all on this process. Entries at one place are added.
  /// @throws dealii::ExcMessage for a matrix beyond CompressedRows::check_32_bit()
  std::unique_ptr<Epetra_CrsMatrix>
  epetra_matrix(const CompressedRows &rows);

  /// A matrix of which every rank has its rows, by their names. On one rank the one above.
  /// @param part without unknowns that have rows on several ranks
  /// @throws dealii::ExcMessage for a matrix beyond CompressedRows::check_32_bit()
  std::unique_ptr<Epetra_CrsMatrix>
  epetra_matrix(const DistributedRows &part, const MPI_Comm communicator);

  /// The matrix of an operator of Saltus for deal.II's solvers, in deal.II's numbering; in the
  /// operator's own, element by element, if it was set up from another operator. Collective.
  /// @param op e.g. a LaplaceOperator, with `distributed_rows` and `element_space`
  template <typename Operator>
  void
  assemble(const Operator &op, dealii::TrilinosWrappers::SparseMatrix &matrix)
  {
    const auto &mesh = *op.element_space().mesh;
    mesh.check_up_to_date();
    matrix.reinit(
      *epetra_matrix(op.distributed_rows(), mesh.order.triangulation.get_communicator()));
  }
} // namespace Saltus

#endif
