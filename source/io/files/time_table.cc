// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/files/print_table.h>
#include <saltus/io/files/time_table.h>

#include <algorithm>

namespace Saltus
{
  void
  TimeTable::add(const std::string &section, const double seconds)
  {
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
      sections.push_back(section);
    cycles.back().seconds[section] += seconds;
  }


  double
  TimeTable::Cycle::of(const std::string &section) const
  {
    const auto found = seconds.find(section);
    return found == seconds.end() ? 0. : found->second;
  }


  void
  TimeTable::print(std::ostream &stream, const std::string &title) const
  {
    dealii::TableHandler table;
    for (const std::string &section : sections)
      table.add_value("part", section);
    table.add_value("part", std::string("sum"));
    for (const Cycle &cycle : cycles)
      {
        const std::string column = "cycle " + std::to_string(cycle.number);
        double            sum    = 0.;
        for (const std::string &section : sections)
          {
            table.add_value(column, cycle.of(section));
            sum += cycle.of(section);
          }
        table.add_value(column, sum);
        table.set_precision(column, 3);
      }
    stream << title << ':' << std::endl;
    print_table(stream, table);
  }


  Json
  TimeTable::json() const
  {
    std::vector<Json> rows;
    for (const Cycle &cycle : cycles)
      {
        Json row;
        row["cycle"] = cycle.number;
        for (const std::string &section : sections)
          row[section] = cycle.of(section);
        rows.push_back(row);
      }
    return rows;
  }
} // namespace Saltus
