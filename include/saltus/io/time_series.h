// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_time_series_h
#define saltus_io_time_series_h

#include <deal.II/base/mpi.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// A table in a CSV file that grows during a run: a line of column names, then one row a call of
  /// add(), at once on disk. Numbers are written with all their digits. Only the first rank writes;
  /// what fails, fails on all.
  class TimeSeries
  {
  public:
    /// @param columns names; the first column is the time
    /// @param restart_time if given, continue the file: rows up to and including this time stay,
    /// later ones go
    /// @throws dealii::ExcMessage if the file cannot be written, or a file to be continued has
    /// other columns
    TimeSeries(const std::string              &file,
               const std::vector<std::string> &columns,
               const MPI_Comm                  communicator = MPI_COMM_WORLD,
               const std::optional<double>     restart_time = {});

    /// Collective.
    /// @param row one number a column
    void
    add(const std::vector<double> &row)
    {
      add_rows({row});
    }

    /// Several rows at once; those of the first rank count.
    void
    add_rows(const std::vector<std::vector<double>> &rows);

  private:
    const std::string file;
    const std::size_t n_columns;
    const MPI_Comm    communicator;
    std::ofstream     stream;
  };
} // namespace Saltus

#endif
