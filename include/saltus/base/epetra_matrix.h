// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_epetra_matrix_h
#define saltus_base_epetra_matrix_h

#include <saltus/base/compressed_rows.h>

#include <Epetra_CrsMatrix.h>
#include <memory>

namespace Saltus
{
  /// A matrix of Trilinos that has all its rows on this process.
  /// @throws dealii::ExcMessage if it has not
  CompressedRows
  compressed_rows(const Epetra_CrsMatrix &matrix);

  /// The same matrix as one of Trilinos, all on this process. Entries at one place are added.
  std::unique_ptr<Epetra_CrsMatrix>
  epetra_matrix(const CompressedRows &rows);
} // namespace Saltus

#endif
