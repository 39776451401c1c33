// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_coarse_cell_mapping_h
#define saltus_mesh_curve_coarse_cell_mapping_h

#include <deal.II/base/tensor_product_polynomials.h>
#include <deal.II/fe/mapping_q.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Curved quadrilaterals or hexahedra as a mapping of deal.II, of any degree. The nodes say where
  /// the coarse cells are; what these are refined to are parts of them, at every place and after
  /// every adaption, without holes at hanging faces. The vertices of refined cells need not be
  /// where the triangulation has them.
  template <int dim>
  class CoarseCellMapping : public dealii::MappingQ<dim>
  {
  public:
    /// @param nodes from GridGenerator::read_mesh(), of the coarse cells that this rank will map
    explicit CoarseCellMapping(const CurvedNodes<dim> &nodes);

    std::unique_ptr<dealii::Mapping<dim>>
    clone() const override;

    bool
    preserves_vertex_locations() const override
    {
      return false;
    }

    boost::container::small_vector<dealii::Point<dim>, dealii::GeometryInfo<dim>::vertices_per_cell>
    get_vertices(const typename dealii::Triangulation<dim>::cell_iterator &cell) const override;

    /// The images of points of the reference cell of @p cell.
    std::vector<dealii::Point<dim>>
    images(const typename dealii::Triangulation<dim>::cell_iterator &cell,
           const std::vector<dealii::Point<dim>>                    &unit_points) const;

  protected:
    std::vector<dealii::Point<dim>>
    compute_mapping_support_points(
      const typename dealii::Triangulation<dim>::cell_iterator &cell) const override;

  private:
    const dealii::TensorProductPolynomials<dim> polynomials; ///< 1 at one node
    /// `[coarse cell][i]`: of the node of polynomial i
    std::shared_ptr<const std::vector<std::vector<dealii::Point<dim>>>> positions;
    const std::vector<dealii::Point<dim>> support_points; ///< of deal.II's mapping
  };

  /// The nodes of the active cells, in their order, of a triangulation of refined coarse cells; its
  /// vertices are moved to them.
  /// @param mapping of the coarse cells
  template <int dim>
  CurvedNodes<dim>
  nodes_of_active_cells(dealii::Triangulation<dim>   &triangulation,
                        const CoarseCellMapping<dim> &mapping);
} // namespace Saltus

#endif
