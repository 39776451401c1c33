// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/files/print_table.h>
#include <saltus/io/files/solver_table.h>

#include <algorithm>
#include <string>

namespace Saltus
{
  void
  SolverTable::print(std::ostream &stream) const
  {
    const std::string    per_iteration = "ms an iteration";
    dealii::TableHandler table;
    for (std::size_t i = 0; i < rows.size(); ++i)
      {
        const Row &row = rows[i];
        table.add_value("cycle", static_cast<unsigned int>(i));
        table.add_value("degrees of freedom", row.n_dofs);
        table.add_value("iterations", row.iterations);
        table.add_value("set-up [s]", row.set_up);
        table.add_value("solve [s]", row.solve);
        table.add_value(per_iteration, 1e3 * row.solve / std::max(1U, row.iterations));
        table.add_value("reduction", row.reduction);
      }
    for (const std::string &column :
         {std::string("set-up [s]"), std::string("solve [s]"), per_iteration})
      table.set_precision(column, 3);
    table.set_precision("reduction", 2);
    table.set_scientific("reduction", true);
    print_table(stream, table);
  }


  Json
  SolverTable::json() const
  {
    std::vector<Json> result;
    for (const Row &row : rows)
      {
        Json object;
        object["cycle"]              = result.size();
        object["degrees of freedom"] = row.n_dofs;
        object["iterations"]         = row.iterations;
        object["set-up"]             = row.set_up;
        object["solve"]              = row.solve;
        object["reduction"]          = row.reduction;
        result.push_back(object);
      }
    return result;
  }
} // namespace Saltus
