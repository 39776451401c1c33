// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_cell_numbers_h
#define saltus_mesh_adapt_cell_numbers_h

#include <deal.II/base/types.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/tria.h>

#include <vector>

namespace Saltus
{
  /// Numbers of active cells of this rank. Their order depends on the mesh alone, not on the ranks
  /// or on earlier refinements. On p4est that is the order of its trees and curves, else that of
  /// the active cells of the serial mesh, see spread_triangulation().
  /// @throws dealii::ExcMessage for a cell of a parallel::fullydistributed::Triangulation that
  /// comes from a refinement
  template <typename Cell>
  std::vector<dealii::types::global_dof_index>
  cell_numbers(const std::vector<Cell> &cells);

  /// The active cells that this rank owns, by ascending cell_numbers().
  template <int dim>
  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
  cells_in_order(const dealii::Triangulation<dim> &mesh);

  template <int dim>
  std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator>
  cells_in_order(const dealii::DoFHandler<dim> &dof_handler);
} // namespace Saltus

#endif
