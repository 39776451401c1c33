// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_table_function_h
#define saltus_io_functions_table_function_h

#include <deal.II/base/function.h>

#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// A table of numbers from a CSV file: a line of column names, then a row a line, all separated
  /// by commas. Empty lines and lines that begin with `#` are skipped.
  struct CsvTable
  {
    /// @throws dealii::ExcMessage naming the file, and the line where there is one, if it cannot be
    /// read, has no rows, or a row has another number of columns or something that is no number
    explicit CsvTable(const std::string &file);

    std::vector<std::string>         columns;
    std::vector<std::vector<double>> rows;
  };


  /// A function that interpolates a table. The columns named x, y and z are the coordinates on
  /// which it depends. The others are its components: by their names, if these are @p components,
  /// else in their order.
  ///
  /// One coordinate: linear interpolation; two rows with the same coordinate are a jump. Two or
  /// three: linear in each direction if the points are all those of a grid (in any order, the
  /// spacing may vary); else the value of the nearest point. Outside, the value at the nearest
  /// border of the table (or the nearest point) holds.
  ///
  /// @throws dealii::ExcMessage as CsvTable does. Other causes are a wrong number of components, no
  /// coordinates, in 2D the coordinate z, and names of some components only.
  template <int dim>
  std::shared_ptr<dealii::Function<dim>>
  table_function(const std::string              &file,
                 const unsigned int              n_components,
                 const std::vector<std::string> &components = {});
} // namespace Saltus

#endif
