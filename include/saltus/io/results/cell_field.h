// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_cell_field_h
#define saltus_io_results_cell_field_h

#include <string>
#include <vector>

namespace Saltus
{
  /// A number of each cell that pictures show besides the quantities of a solution.
  struct CellField
  {
    std::string         name;
    std::vector<double> values; ///< see cells_in_order()
  };
} // namespace Saltus

#endif
