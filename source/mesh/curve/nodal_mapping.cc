// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/mesh/curve/nodal_mapping.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  NodalMapping<dim>::NodalMapping(const CurvedNodes<dim> &nodes)
    : NodalMapping(std::make_shared<const CurvedNodes<dim>>(nodes))
  {}

  template <int dim>
  NodalMapping<dim>::NodalMapping(const std::shared_ptr<const CurvedNodes<dim>> &nodes)
    : MappingFE<dim>(FE_SimplexNodes<dim>(nodes->degree, gmsh_nodes<dim>(nodes->degree)))
    , nodes(nodes)
  {}

  template <int dim>
  std::unique_ptr<Mapping<dim>>
  NodalMapping<dim>::clone() const
  {
    return std::unique_ptr<Mapping<dim>>(new NodalMapping(nodes));
  }

  template <int dim>
  std::vector<Point<dim>>
  NodalMapping<dim>::compute_mapping_support_points(
    const typename Triangulation<dim>::cell_iterator &cell) const
  {
    AssertThrow(cell->level() == 0,
                ExcMessage("The nodes of curved cells say where the cells of the file are, not "
                           "those that they are refined into. Refine the mesh in Gmsh."));
    const auto number = cell->id().get_coarse_cell_id();
    AssertThrow(number < nodes->positions.size(0),
                ExcMessage("The nodes of curved cells belong to another mesh."));
    std::vector<Point<dim>> points;
    for (unsigned int n = 0; n < nodes->positions.size(1); ++n)
      points.push_back(nodes->positions[number][n]);
    return points;
  }

  template class NodalMapping<2>;
  template class NodalMapping<3>;
} // namespace Saltus
