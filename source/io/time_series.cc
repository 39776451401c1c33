// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/collective.h>
#include <saltus/io/files.h>
#include <saltus/io/time_series.h>

#include <limits>

namespace Saltus
{
  namespace
  {
    std::string
    heading(const std::vector<std::string> &columns)
    {
      std::string line;
      for (const std::string &column : columns)
        line += (line.empty() ? "" : ",") + column;
      return line;
    }


    /// Lines of @p file to keep on a restart, the header first; just the header if there is no
    /// file.
    std::vector<std::string>
    lines_until(const std::string &file, const std::string &header, const double time)
    {
      std::vector<std::string> lines = {header};
      std::ifstream            old(file);
      std::string              line;
      if (!std::getline(old, line))
        return lines;
      AssertThrow(line == header,
                  dealii::ExcMessage("The time series '" + file +
                                     "' cannot be continued: its columns are '" + line +
                                     "', but this run writes '" + header + "'."));
      // A line that an interrupted run has left unfinished has no line end and is dropped.
      while (std::getline(old, line) && !old.eof())
        if (std::strtod(line.c_str(), nullptr) <= time)
          lines.push_back(line);
      return lines;
    }
  } // namespace


  TimeSeries::TimeSeries(const std::string              &file,
                         const std::vector<std::string> &columns,
                         const MPI_Comm                  communicator,
                         const std::optional<double>     restart_time)
    : file(file)
    , n_columns(columns.size())
    , communicator(communicator)
  {
    on_first_rank(communicator, [&]() {
      std::vector<std::string> lines = {heading(columns)};
      if (restart_time)
        lines = lines_until(file, lines[0], *restart_time);
      replace_file(file, [&](std::ostream &out) {
        for (const std::string &line : lines)
          out << line << '\n';
      });
      stream.exceptions(std::ios::badbit | std::ios::failbit);
      with_write_errors(file, [&]() { stream.open(file, std::ios::app); });
      stream.precision(std::numeric_limits<double>::max_digits10);
    });
  }


  void
  TimeSeries::add_rows(const std::vector<std::vector<double>> &rows)
  {
    on_first_rank(communicator, [&]() {
      with_write_errors(file, [&]() {
        for (const std::vector<double> &row : rows)
          {
            AssertDimension(row.size(), n_columns);
            for (std::size_t i = 0; i < row.size(); ++i)
              stream << (i == 0 ? "" : ",") << row[i];
            stream << '\n';
          }
        stream << std::flush;
      });
    });
  }
} // namespace Saltus
