// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/files/estimate_table.h>
#include <saltus/io/files/print_table.h>

#include <string>

namespace Saltus
{
  void
  EstimateTable::print(std::ostream &stream) const
  {
    dealii::TableHandler table;
    for (std::size_t i = 0; i < rows.size(); ++i)
      {
        const Row        &row    = rows[i];
        const std::string lowest = std::to_string(row.lowest_degree);
        table.add_value("cycle", static_cast<unsigned int>(i));
        table.add_value("elements", row.n_elements);
        table.add_value("degrees",
                        row.highest_degree == row.lowest_degree
                          ? lowest
                          : lowest + " to " + std::to_string(row.highest_degree));
        table.add_value("degrees of freedom", row.n_dofs);
        table.add_value("estimate", row.estimate);
        if (row.error)
          {
            table.add_value("energy error", *row.error);
            table.add_value("efficiency", row.estimate / *row.error);
          }
      }
    for (const std::string column : {"estimate", "energy error"})
      if (column == "estimate" || (!rows.empty() && rows[0].error))
        {
          table.set_precision(column, 4);
          table.set_scientific(column, true);
        }
    if (!rows.empty() && rows[0].error)
      table.set_precision("efficiency", 2);
    print_table(stream, table);
  }


  Json
  EstimateTable::json() const
  {
    std::vector<Json> result;
    for (const Row &row : rows)
      {
        Json object;
        object["cycle"]              = result.size();
        object["elements"]           = row.n_elements;
        object["degrees"]            = std::vector<Json>{row.lowest_degree, row.highest_degree};
        object["degrees of freedom"] = row.n_dofs;
        object["estimate"]           = row.estimate;
        if (row.error)
          object["energy error"] = *row.error;
        result.push_back(object);
      }
    return result;
  }
} // namespace Saltus
