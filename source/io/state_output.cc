// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/state_output.h>

#include <algorithm>

namespace Saltus
{
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved_names)
  {
    std::vector<std::string> columns = {"time", "step size", "step"};
    for (std::size_t c = 0; c < conserved_names.size(); ++c)
      {
        // A name that stands several times is a vector.
        std::string       name  = conserved_names[c];
        const auto        first = std::find(conserved_names.begin(), conserved_names.end(), name);
        const std::size_t component = c - (first - conserved_names.begin());
        if (std::count(conserved_names.begin(), conserved_names.end(), name) > 1)
          name += std::string(" ") + "xyz"[component];
        for (const char *number : {" integral", " outflow", " L2 norm", " minimum", " maximum"})
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
    for (std::size_t c = 0; c < outflow.size(); ++c)
      row.insert(row.end(),
                 {statistics.integrals[c],
                  outflow[c],
                  statistics.norms[c],
                  statistics.minima[c],
                  statistics.maxima[c]});
    return row;
  }
} // namespace Saltus
