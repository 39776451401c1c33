// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_nodal_mapping_h
#define saltus_mesh_curve_nodal_mapping_h

#include <deal.II/fe/mapping_fe.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Curved cells as a mapping of deal.II, of any degree: what takes a mapping there, as FEValues,
  /// DataOut and integrate_difference() do, and ElementMesh here, sees them. The nodes say where
  /// the active cells are; when the mesh is refined, refine_curved() gives those of the new ones.
  template <int dim>
  class NodalMapping : public dealii::MappingFE<dim>
  {
  public:
    /// @param nodes from GridGenerator::read_mesh() or manifold_nodes()
    explicit NodalMapping(const CurvedNodes<dim> &nodes);

    std::unique_ptr<dealii::Mapping<dim>>
    clone() const override;

  protected:
    /// @throws dealii::ExcMessage for a cell that is not one of those of the nodes
    std::vector<dealii::Point<dim>>
    compute_mapping_support_points(
      const typename dealii::Triangulation<dim>::cell_iterator &cell) const override;

  private:
    explicit NodalMapping(const std::shared_ptr<const CurvedNodes<dim>> &nodes);

    const std::shared_ptr<const CurvedNodes<dim>> nodes;
  };
} // namespace Saltus

#endif
