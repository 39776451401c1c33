// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/solvers/krylov/epetra_matrix.h>

#include <algorithm>
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
    const Epetra_MpiComm comm(with_mpi(MPI_COMM_SELF));
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

  std::unique_ptr<Epetra_CrsMatrix>
  epetra_matrix(const DistributedRows &part, const MPI_Comm communicator)
  {
    if (part.names.empty() && n_ranks(communicator) == 1)
      return epetra_matrix(part.rows);
    const CompressedRows &rows     = part.rows;
    const std::size_t     n_global = dealii::Utilities::MPI::sum(rows.n_rows(), communicator);
    const std::size_t     n_most   = dealii::Utilities::MPI::max(rows.n_nonzeros(), communicator);
    CompressedRows::check_32_bit(n_global, n_global, n_most, "Trilinos' Epetra");
    const std::vector<int> names(part.names.begin(), part.names.end());
    std::vector<int>       owned(names.begin(), names.begin() + rows.n_rows());
    std::sort(owned.begin(), owned.end()); // as deal.II's vectors have them
    const Epetra_MpiComm comm(with_mpi(communicator));
    const Epetra_Map     map(-1, owned.size(), owned.data(), 0, comm);
    std::vector<int>     sizes(owned.size());
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
      sizes[map.LID(names[row])] = rows.row_starts[row + 1] - rows.row_starts[row];
    auto             result = std::make_unique<Epetra_CrsMatrix>(Copy, map, sizes.data(), true);
    std::vector<int> columns;
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
      {
        const std::size_t begin = rows.row_starts[row], end = rows.row_starts[row + 1];
        columns.clear();
        for (std::size_t k = begin; k < end; ++k)
          columns.push_back(names[rows.columns[k]]);
        result->InsertGlobalValues(names[row],
                                   end - begin,
                                   rows.values.data() + begin,
                                   columns.data());
      }
    const int failed = result->FillComplete(map, map);
    AssertThrow(failed >= 0, ExcMessage("Trilinos could not set up a sparse matrix."));
    return result;
  }
} // namespace Saltus
