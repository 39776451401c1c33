// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/state_output.h>

namespace Saltus
{
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved, const bool has_outflow)
  {
    std::vector<std::string> columns = {"time", "step size", "step"};
    for (const std::string &name : conserved)
      {
        columns.push_back(name + " integral");
        if (has_outflow)
          columns.push_back(name + " outflow");
        for (const char *number : {" L2 norm", " minimum mean", " maximum mean"})
          columns.push_back(name + number);
      }
    return columns;
  }


  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow)
  {
    std::vector<double> row = {time.time, time.dt, static_cast<double>(time.n_steps)};
    for (std::size_t c = 0; c < statistics.integrals.size(); ++c)
      {
        row.push_back(statistics.integrals[c]);
        if (!outflow.empty())
          row.push_back(outflow[c]);
        row.insert(row.end(), {statistics.norms[c], statistics.minima[c], statistics.maxima[c]});
      }
    return row;
  }
} // namespace Saltus
