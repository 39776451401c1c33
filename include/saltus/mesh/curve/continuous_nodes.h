// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_continuous_nodes_h
#define saltus_mesh_curve_continuous_nodes_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <vector>

namespace Saltus
{
  /// The nodes that cells of a mesh share: gmsh_nodes() of all degrees, numbered so that a node on
  /// a vertex, edge or face is one for all cells there. (deal.II's elements for simplices end at
  /// degree 3.)
  template <int dim>
  class ContinuousNodes
  {
  public:
    using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;

    ContinuousNodes(const dealii::Triangulation<dim> &tria, const unsigned int degree);

    unsigned int
    size() const
    {
      return n_nodes;
    }

    /// Node @p n of gmsh_nodes() of @p cell.
    unsigned int
    operator()(const Cell &cell, const unsigned int n) const
    {
      return numbers[cell->active_cell_index()][n];
    }

    /// `[n][v]`: the barycentric coordinates of the nodes times the degree.
    const std::vector<std::array<unsigned int, dim + 1>> &
    weights() const
    {
      return weights_;
    }

  private:
    std::vector<std::array<unsigned int, dim + 1>> weights_;
    std::vector<std::vector<unsigned int>>         numbers; ///< `[cell][n]`
    unsigned int                                   n_nodes = 0;
  };
} // namespace Saltus

#endif
