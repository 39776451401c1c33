// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_cell_graph_h
#define saltus_mesh_agglomerate_cell_graph_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/agglomerate/array_part.h>

#include <vector>

namespace Saltus
{
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

  /// Of the active cells, by their indices.
  template <int dim>
  CellGraph
  cell_graph(const dealii::Triangulation<dim> &triangulation);

  /// Divide the nodes of a graph into about @p n_parts parts of equal size by METIS, which need not
  /// be connected.
  /// @return `[node]`: number of its part
  std::vector<unsigned int>
  partition(const CellGraph &graph, const unsigned int n_parts);

  /// Divide points by a tree of boxes with about @p n_parts leaves, see agglomerate_by_boxes().
  /// @return `[point]`: number of its leaf
  template <int dim>
  std::vector<unsigned int>
  halve_boxes(const std::vector<dealii::Point<dim>> &points, const unsigned int n_parts);
} // namespace Saltus

#endif
