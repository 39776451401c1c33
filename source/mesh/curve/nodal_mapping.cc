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
    const unsigned int row  = cell->active_cell_index();
    bool               fits = row < nodes->positions.size(0);
    for (unsigned int v = 0; v <= dim && fits; ++v)
      fits = nodes->positions[row][v] == cell->vertex(v);
    AssertThrow(fits,
                ExcMessage(
                  "The nodes of curved cells belong to another mesh, or to this one before "
                  "it was refined: see refine_curved()."));
    std::vector<Point<dim>> points;
    for (unsigned int n = 0; n < nodes->positions.size(1); ++n)
      points.push_back(nodes->positions[row][n]);
    return points;
  }

  template class NodalMapping<2>;
  template class NodalMapping<3>;
} // namespace Saltus
