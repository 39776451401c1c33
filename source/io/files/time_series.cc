// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/expressions/run_files.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/time_series.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <zlib.h>

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


    std::string
    contents(const std::string &file)
    {
      std::ifstream      stream(file, std::ios::binary);
      std::ostringstream text;
      text << stream.rdbuf();
      return text.str();
    }
  } // namespace


  void
  TimeSeries::Text::append(const std::string &text)
  {
    size += text.size();
    checksum = static_cast<std::uint32_t>(
      crc32_z(checksum, reinterpret_cast<const Bytef *>(text.data()), text.size()));
  }


  TimeSeries::TimeSeries(const std::string              &file,
                         const std::string              &name,
                         const std::vector<std::string> &columns,
                         const MPI_Comm                  communicator,
                         const std::string              &definition,
                         const Checkpoint               *restart)
    : file(file)
    , name(name)
    , columns(columns)
    , communicator(communicator)
  {
    none.append(definition + '\n' + heading(columns));
    none.size = 0;
    on_first_rank(communicator, [&]() {
      std::string text = restart != nullptr ? own_text(*restart) : "";
      if (text.empty())
        text = heading(columns) + '\n';
      replace_file(file, [&](std::ostream &out) { out << text; });
      all = none;
      all.append(text);
      due = all;
      stream.exceptions(std::ios::badbit | std::ios::failbit);
      with_write_errors(file, [&]() { stream.open(file, std::ios::app); });
    });
  }


  std::string
  TimeSeries::own_text(const Checkpoint &restart) const
  {
    if (!std::filesystem::exists(file))
      return "";
    if (restart.has(name + " bytes"))
      {
        const std::int64_t n     = restart.get_integer(name + " bytes");
        const std::string  start = contents(file).substr(0, std::max(std::int64_t{0}, n));
        Text               text  = none;
        text.append(start);
        if (text.size == n && text.checksum == restart.get_integer(name + " checksum"))
          return start;
      }
    const std::string place = set_aside(file);
    say_once("the table '" + file +
             "' was not written by the run that goes on, or with other entries of the section "
             "Evaluation. It is kept as '" +
             place + "'; a new one begins.");
    return "";
  }


  void
  TimeSeries::add_rows(const std::vector<std::vector<double>> &rows, const bool is_due)
  {
    on_first_rank(communicator, [&]() {
      std::ostringstream text;
      text.precision(std::numeric_limits<double>::max_digits10);
      for (const std::vector<double> &row : rows)
        {
          AssertDimension(row.size(), columns.size());
          for (std::size_t i = 0; i < row.size(); ++i)
            text << (i == 0 ? "" : ",") << row[i];
          text << '\n';
        }
      check_output(file);
      with_write_errors(file, [&]() { stream << text.str() << std::flush; });
      all.append(text.str());
      if (is_due)
        due = all;
    });
    last_rows = rows;
  }


  Json
  TimeSeries::last() const
  {
    Json result;
    for (std::size_t c = 0; c < columns.size(); ++c)
      {
        std::vector<double> values;
        for (const std::vector<double> &row : last_rows)
          values.push_back(row[c]);
        result[columns[c]] = values.size() == 1 ? Json(values[0]) : Json(values);
      }
    return result;
  }


  void
  TimeSeries::save(Checkpoint &checkpoint) const
  {
    checkpoint.set(name + " bytes", due.size);
    checkpoint.set(name + " checksum", std::int64_t{due.checksum});
  }
} // namespace Saltus
