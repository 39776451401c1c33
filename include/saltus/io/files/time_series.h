// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_time_series_h
#define saltus_io_files_time_series_h

#include <deal.II/base/mpi.h>

#include <saltus/io/files/checkpoint.h>
#include <saltus/io/files/json.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace Saltus
{
  /// A table in a CSV file that grows during a run: a line of column names, then one row a call of
  /// add(), at once on disk. Numbers are written with all their digits. Only the first rank writes;
  /// what fails, fails on all.
  ///
  /// A checkpoint notes which rows there are that were due, and their checksum, so that a restart
  /// continues the file that the run has written and no other.
  class TimeSeries
  {
  public:
    /// @param name under which checkpoints note it
    /// @param columns names; the first column is the time
    /// @param definition what the numbers depend on besides the columns' names and the solution
    /// @param restart if given, continue the file: the rows that it notes stay, later ones go. A
    /// file that is not as it says, or was written with another definition, is kept elsewhere, see
    /// set_aside(), and the table begins anew; a note on standard error says so.
    /// @throws dealii::ExcMessage if the file cannot be written
    TimeSeries(const std::string              &file,
               const std::string              &name,
               const std::vector<std::string> &columns,
               const MPI_Comm                  communicator = MPI_COMM_WORLD,
               const std::string              &definition   = "",
               const Checkpoint               *restart      = nullptr);

    /// Collective.
    /// @param row one number a column
    /// @param is_due whether a restart is to keep it
    void
    add(const std::vector<double> &row, const bool is_due = true)
    {
      add_rows({row}, is_due);
    }

    /// Several rows at once; those of the first rank count.
    void
    add_rows(const std::vector<std::vector<double>> &rows, const bool is_due = true);

    void
    save(Checkpoint &checkpoint) const;

    /// By column the number of the last row, or those of the rows that were added last.
    Json
    last() const;

  private:
    /// The beginning of the file.
    struct Text
    {
      void
      append(const std::string &text);

      std::int64_t  size     = 0;
      std::uint32_t checksum = 0; ///< of definition, columns and this text
    };

    /// What stays of the file at a restart; empty if it is not the one of the run.
    std::string
    own_text(const Checkpoint &restart) const;

    const std::string                file, name;
    const std::vector<std::string>   columns;
    const MPI_Comm                   communicator;
    std::vector<std::vector<double>> last_rows;
    Text                             none, all, due; ///< on the first rank
    std::ofstream                    stream;
  };
} // namespace Saltus

#endif
