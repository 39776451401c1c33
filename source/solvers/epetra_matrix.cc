// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/epetra_matrix.h>

#include <Epetra_Map.h>
#include <Epetra_MpiComm.h>

namespace Saltus
{
  using dealii::ExcMessage;

  CompressedRows
  compressed_rows(const Epetra_CrsMatrix &matrix)
  {
    AssertThrow(matrix.NumMyRows() == matrix.NumGlobalRows64() && matrix.Filled(),
                ExcMessage("All rows of the matrix must be on one process."));
    CompressedRows result;
    result.n_columns = matrix.NumGlobalCols64();
    result.row_starts.reserve(matrix.NumMyRows() + 1);
    result.columns.reserve(matrix.NumMyNonzeros());
    result.values.reserve(matrix.NumMyNonzeros());
    for (int row = 0; row < matrix.NumMyRows(); ++row)
      {
        int     n_entries;
        double *values;
        int    *columns;
        matrix.ExtractMyRowView(row, n_entries, values, columns);
        for (int k = 0; k < n_entries; ++k)
          result.add(matrix.GCID64(columns[k]), values[k]);
        result.finish_row();
      }
    return result;
  }

  std::unique_ptr<Epetra_CrsMatrix>
  epetra_matrix(const CompressedRows &rows)
  {
    CompressedRows::check_32_bit(rows.n_rows(),
                                 rows.n_columns,
                                 rows.n_nonzeros(),
                                 "Trilinos' Epetra");
    const Epetra_MpiComm comm(MPI_COMM_SELF);
    const int            n_rows = rows.n_rows(), n_columns = rows.n_columns;
    const Epetra_Map     row_map(n_rows, 0, comm), column_map(n_columns, 0, comm);
    std::vector<int>     sizes(n_rows);
    for (int row = 0; row < n_rows; ++row)
      sizes[row] = rows.row_starts[row + 1] - rows.row_starts[row];
    auto result = std::make_unique<Epetra_CrsMatrix>(Copy, row_map, column_map, sizes.data(), true);
    for (int row = 0; row < n_rows; ++row)
      result->InsertMyValues(row,
                             sizes[row],
                             rows.values.data() + rows.row_starts[row],
                             rows.columns.data() + rows.row_starts[row]);
    const int failed = result->FillComplete(column_map, row_map);
    AssertThrow(failed >= 0, ExcMessage("Trilinos could not set up a sparse matrix."));
    return result;
  }
} // namespace Saltus
