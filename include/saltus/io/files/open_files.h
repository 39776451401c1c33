// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_open_files_h
#define saltus_io_files_open_files_h

#include <saltus/io/files/time_series.h>
#include <saltus/io/files/vtu_series.h>

#include <map>
#include <memory>
#include <string>

namespace Saltus
{
  /// The tables and series of VTU files that a run has opened. Outputs on an adapted mesh go on
  /// with them and read no file again. Copies share the files.
  class OpenFiles
  {
  public:
    /// @param double_values whether VTU files have values in double precision
    explicit OpenFiles(const bool double_values = false)
      : double_values(double_values)
    {}

    /// Returns whether nothing has been opened.
    bool
    empty() const
    {
      return files->tables.empty() && files->pictures.empty();
    }

    /// Returns the table in @p file. The first call makes it.
    /// @param more further arguments of TimeSeries
    template <typename... Arguments>
    std::shared_ptr<TimeSeries>
    table(const std::string &file, const Arguments &...more) const
    {
      std::shared_ptr<TimeSeries> &table = files->tables[file];
      if (!table)
        table = std::make_shared<TimeSeries>(file, more...);
      return table;
    }

    /// Returns the series of VTU files with this name. The first call makes it.
    std::shared_ptr<VtuSeries>
    pictures(const std::string &directory,
             const std::string &name,
             const MPI_Comm     communicator) const
    {
      std::shared_ptr<VtuSeries> &series = files->pictures[name];
      if (!series)
        series = std::make_shared<VtuSeries>(directory, name, communicator, double_values);
      return series;
    }

  private:
    struct Files
    {
      std::map<std::string, std::shared_ptr<TimeSeries>> tables;
      std::map<std::string, std::shared_ptr<VtuSeries>>  pictures;
    };

    const bool             double_values;
    std::shared_ptr<Files> files = std::make_shared<Files>();
  };
} // namespace Saltus

#endif
