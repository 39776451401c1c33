// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_mesh_h
#define saltus_mesh_element_mesh_h

#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/fe/reference_element.h>

#include <vector>

namespace Saltus
{
  /// Two boundary parts that are one: faces with id `first` meet those with id `second`.
  struct PeriodicBoundary
  {
    dealii::types::boundary_id first;
    dealii::types::boundary_id second;
  };

  /// The order in which operators see the active cells of a triangulation: along a Hilbert curve
  /// through the cell centres, so that neighbours are near in memory.
  template <int dim>
  class ElementOrder
  {
  public:
    explicit ElementOrder(const dealii::Triangulation<dim> &triangulation);

    std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> cells; ///< `[e]`
    std::vector<unsigned int> element_of_cell; ///< by active cell index

    unsigned int
    n_elements() const
    {
      return cells.size();
    }
  };

  /// How elements meet: across every face of every element the neighbour, the neighbour's face, and
  /// the permutation of the face's vertices between the two.
  template <int dim>
  class FaceConnectivity
  {
  public:
    struct BoundaryFace
    {
      unsigned int               element;
      unsigned int               face;
      dealii::types::boundary_id id;
    };

    /// @throws dealii::ExcMessage for meshes with hanging nodes and for periodic boundaries that do
    /// not match
    FaceConnectivity(const ElementOrder<dim>             &order,
                     const ReferenceElement<dim>         &reference,
                     const std::vector<PeriodicBoundary> &periodic_boundaries);

    std::vector<int>           neighbors;      ///< `[e][f]`, `-1 - b` at boundary face b
    std::vector<unsigned char> neighbor_faces; ///< `[e][f]`: face * n_orientations + orientation
    std::vector<BoundaryFace>  boundary_faces; ///< `[b]`

  private:
    void
    join(const ElementOrder<dim>           &order,
         const ReferenceElement<dim>       &reference,
         const std::array<unsigned int, 2> &one,
         const std::array<unsigned int, 2> &other);

    void
    join_periodic(const ElementOrder<dim>             &order,
                  const ReferenceElement<dim>         &reference,
                  const std::vector<PeriodicBoundary> &periodic_boundaries);

    void
    connect(const ReferenceElement<dim>     &reference,
            const unsigned int               element,
            const unsigned int               face,
            const unsigned int               neighbor,
            const unsigned int               neighbor_face,
            const std::vector<unsigned int> &permutation);
  };

  /// Affine maps from the reference cell to the elements.
  template <int dim>
  class AffineGeometry
  {
  public:
    /// @param mapping any mapping that is affine on simplices
    /// @throws dealii::ExcMessage at a curved, degenerate or inverted element
    AffineGeometry(const ElementOrder<dim>     &order,
                   const ReferenceElement<dim> &reference,
                   const dealii::Mapping<dim>  &mapping);

    std::vector<dealii::Point<dim>>     origins;   ///< `[e]`: vertex 0
    std::vector<dealii::Tensor<2, dim>> jacobians; ///< `[e]`: \f$ \partial x_d/\partial\hat x_r \f$
    std::vector<dealii::Tensor<2, dim>> inverse_jacobians; ///< `[e][r][d]`
    std::vector<double>                 determinants;      ///< `[e]`

    dealii::Point<dim>
    map(const unsigned int element, const dealii::Point<dim> &unit_point) const
    {
      return origins[element] + jacobians[element] * unit_point;
    }

    /// Unit outward normal of a face of an element, from the reference cell's normal.
    dealii::Tensor<1, dim>
    normal(const unsigned int element, const double *reference_normal) const;
  };

  /// All that operators of any degree and precision on one mesh have in common.
  template <int dim>
  struct ElementMesh
  {
    ElementMesh(const dealii::Triangulation<dim>    &triangulation,
                const ReferenceElement<dim>         &reference,
                const dealii::Mapping<dim>          &mapping,
                const std::vector<PeriodicBoundary> &periodic_boundaries)
      : order(triangulation)
      , geometry(order, reference, mapping)
      , connectivity(order, reference, periodic_boundaries)
    {}

    ElementOrder<dim>     order;
    AffineGeometry<dim>   geometry;
    FaceConnectivity<dim> connectivity;
  };
} // namespace Saltus

#endif
