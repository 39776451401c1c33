// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_shapes_h
#define saltus_mesh_mesh_shapes_h

#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <vector>

namespace Saltus
{
  /// What there is one of for each shape of the cells of a mesh, in the order of MeshShapes.
  template <typename T>
  using ByShape = std::vector<T>;

  /// Points of the reference cells.
  template <int dim>
  using PointsByShape = ByShape<std::vector<dealii::Point<dim>>>;

  /// The shapes that the cells of a mesh have on any rank: one, or several of a mesh that mixes
  /// them.
  template <int dim>
  class MeshShapes
  {
  public:
    explicit MeshShapes(const dealii::Triangulation<dim> &triangulation)
      : list(triangulation.get_reference_cells())
    {}

    /// Number of the shape of a cell.
    template <typename Cell>
    unsigned int
    number(const Cell &cell) const
    {
      unsigned int i = 0;
      while (i + 1 < list.size() && cell->reference_cell() != list[i])
        ++i;
      return i;
    }

    /// `function(shape)` for each of them.
    template <typename Function>
    auto
    for_each(const Function &function) const
    {
      ByShape<decltype(function(list[0]))> results;
      for (const dealii::ReferenceCell &shape : list)
        results.push_back(function(shape));
      return results;
    }

  private:
    std::vector<dealii::ReferenceCell> list;
  };
} // namespace Saltus

#endif
