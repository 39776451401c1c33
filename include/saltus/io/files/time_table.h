// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_time_table_h
#define saltus_io_files_time_table_h

#include <saltus/io/files/json.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace Saltus
{
  /// How long the sections of a program took, in each of its cycles.
  class TimeTable
  {
  public:
    /// @param number of the cycle: a restart may begin with another one than 0
    void
    begin_cycle(const unsigned int number)
    {
      cycles.push_back({number, {}});
    }

    /// Add to the time of a section in this cycle.
    void
    add(const std::string &section, const double seconds);

    /// One row for each section, in the order in which they came first, and one column for each
    /// cycle.
    void
    print(std::ostream &stream, const std::string &title = "Wall time in seconds") const;

    /// Row by row, an object each.
    Json
    json() const;

  private:
    struct Cycle
    {
      unsigned int                  number;
      std::map<std::string, double> seconds; ///< by section

      double
      of(const std::string &section) const;
    };

    std::vector<std::string> sections;
    std::vector<Cycle>       cycles;
  };
} // namespace Saltus

#endif
