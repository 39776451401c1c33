// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_print_table_h
#define saltus_io_files_print_table_h

#include <deal.II/base/table_handler.h>

#include <ostream>
#include <sstream>

namespace Saltus
{
  /// Print a table in org mode. Unlike deal.II, the function throws no exception if the stream
  /// fails: files with results matter more.
  inline void
  print_table(std::ostream &stream, const dealii::TableHandler &table)
  {
    std::ostringstream text;
    table.write_text(text, dealii::TableHandler::org_mode_table);
    stream << text.str();
  }
} // namespace Saltus

#endif
