// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_time_table_h
#define saltus_io_time_table_h

#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace Saltus
{
  /// How long the sections of a program took, in each of its cycles.
  class TimeTable
  {
  public:
    void
    begin_cycle()
    {
      cycles.emplace_back();
    }

    /// Add to the time of a section in this cycle.
    void
    add(const std::string &section, const double seconds);

    /// Sections stand in the order in which they came first.
    void
    print(std::ostream &stream) const;

  private:
    std::vector<std::string>                   sections;
    std::vector<std::map<std::string, double>> cycles; ///< seconds by section
  };
} // namespace Saltus

#endif
