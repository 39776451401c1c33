// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_position_text_h
#define saltus_mesh_position_text_h

#include <deal.II/base/point.h>

#include <iomanip>
#include <sstream>
#include <string>

/// Where something is, for messages: with digits enough for meshes far from the origin.
namespace Saltus
{
  template <int dim>
  std::string
  position_text(const dealii::Point<dim> &point)
  {
    std::ostringstream out;
    out << std::setprecision(9) << '(' << point << ')';
    return out.str();
  }

  template <typename CellIterator>
  std::string
  cell_text(const CellIterator &cell)
  {
    return "the cell at " + position_text(cell->center());
  }
} // namespace Saltus

#endif
