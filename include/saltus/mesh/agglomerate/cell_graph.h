// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_cell_graph_h
#define saltus_mesh_agglomerate_cell_graph_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/agglomerate/array_part.h>

#include <vector>

namespace Saltus
{
  /// Call `visit(neighbor)` for all active cells across a face of one.
  template <typename Cell, typename Visit>
  void
  for_neighbors(const Cell &cell, const unsigned int face, const Visit &visit)
  {
    if (cell->at_boundary(face))
      return;
    const auto neighbor = cell->neighbor(face);
    if (neighbor->is_active())
      visit(neighbor);
    else
      for (unsigned int s = 0; s < cell->face(face)->n_children(); ++s)
        visit(cell->neighbor_child_on_subface(face, s));
  }

  /// Which cells, or sets of them, have a face in common.
  struct CellGraph
  {
    std::vector<std::size_t>  starts = {0}; ///< number of cells plus one
    std::vector<unsigned int> neighbors;

    unsigned int
    size() const
    {
      return starts.size() - 1;
    }

    ArrayPart<unsigned int>
    neighbors_of(const unsigned int i) const
    {
      return {neighbors.data() + starts[i], neighbors.data() + starts[i + 1]};
    }
  };

  /// Of the active cells, by their indices; those of other ranks have no neighbours.
  template <int dim>
  CellGraph
  cell_graph(const dealii::Triangulation<dim> &triangulation);

  /// Divide the nodes of a graph into about @p n_parts parts of equal size by METIS, which need not
  /// be connected.
  /// @return `[node]`: number of its part
  std::vector<unsigned int>
  partition(const CellGraph &graph, const unsigned int n_parts);

  /// Divide nodes into @p n_parts parts of about equal sums of weights by METIS, all at once; a
  /// part may be empty.
  std::vector<unsigned int>
  partition(const CellGraph                 &graph,
            const std::vector<unsigned int> &weights,
            const unsigned int               n_parts);

  /// Divide points by a tree of boxes with about @p n_parts leaves, see agglomerate_by_boxes().
  /// @return `[point]`: number of its leaf
  template <int dim>
  std::vector<unsigned int>
  halve_boxes(const std::vector<dealii::Point<dim>> &points, const unsigned int n_parts);
} // namespace Saltus

#endif
