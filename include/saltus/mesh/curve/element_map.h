// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_element_map_h
#define saltus_mesh_curve_element_map_h

#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/fe/vertex_permutation.h>
#include <saltus/mesh/curve/map_nodes.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Values that the determinant of an element's map takes.
  struct DeterminantRange
  {
    double minimum, maximum;

    /// The scaled Jacobian: 1 of affine elements, 0 or less of elements that are folded somewhere,
    /// and of those that are inverted everywhere.
    double
    scaled() const
    {
      return maximum > 0. ? minimum / maximum : -1.;
    }
  };

  /// Of the determinant of maps of degree @p map_degree; in each direction on hypercubes.
  constexpr unsigned int
  determinant_degree(const unsigned int dim, const unsigned int map_degree, const bool hypercube)
  {
    return hypercube ? dim * map_degree - 1 : dim * (map_degree - 1);
  }

  /// The map from the reference cell to an element,
  /// \f$ x(\hat x) = x_0 + \sum_m c_m \phi_m(\hat x) \f$, a polynomial of any degree q >= 1 in the
  /// modes of polynomials_of(), on hypercubes in each direction. Neighbours of the same degree that
  /// have the same positions at the nodes of their common face have the same face.
  template <int dim>
  class ElementMap
  {
  public:
    using Cell = typename dealii::Triangulation<dim>::cell_iterator;

    /// @param positions `[i]`: of the nodes
    /// @param orientation 1, or -1 of elements that are mirror images of their cells
    ElementMap(const std::shared_ptr<const MapNodes<dim>> &nodes,
               const std::vector<dealii::Point<dim>>      &positions,
               const int                                   orientation = 1);

    /// The map of @p cell, interpolated at the nodes of an element whose vertices have the order
    /// @p vertices.
    ElementMap(const std::shared_ptr<const MapNodes<dim>> &nodes,
               const dealii::Mapping<dim>                 &mapping,
               const Cell                                 &cell,
               const VertexPermutation<dim>               &vertices = identity_permutation<dim>());

    unsigned int
    degree() const
    {
      return nodes->degree;
    }

    dealii::Point<dim>
    position(const dealii::Point<dim> &unit_point) const;

    /// `[d][r]`: \f$ J_{dr} = \partial x_d / \partial \hat x_r \f$
    dealii::Tensor<2, dim>
    jacobian(const dealii::Point<dim> &unit_point) const;

    /// orientation() \f$ \det J \f$, which is positive wherever the cell is not inverted.
    double
    determinant(const dealii::Point<dim> &unit_point) const;

    /// The same at all points of a table of at least this degree, which is faster: `[q]`.
    std::vector<dealii::Point<dim>>
    positions(const ModeTable<dim> &at) const;

    /// \f$ x - x_0 \f$, which rounding spares far from the origin.
    std::vector<dealii::Point<dim>>
    offsets(const ModeTable<dim> &at) const;

    std::vector<dealii::Tensor<2, dim>>
    jacobians(const ModeTable<dim> &at) const;

    std::vector<double>
    determinants(const ModeTable<dim> &at) const;

    /// Least and largest determinant at the points of a table. Values at map_nodes() of degree
    /// determinant_degree() (but at least 1) determine the determinant, so these, vertices among
    /// them, are enough to see how it is distributed; between them it may be a little less or more.
    DeterminantRange
    determinant_range(const ModeTable<dim> &at) const;

    int
    orientation() const
    {
      return sign;
    }

    dealii::Point<dim>              origin; ///< \f$ x_0 \f$, the position of a node
    std::vector<dealii::Point<dim>> modes;  ///< `[m]`: \f$ c_m \f$

  private:
    ModeTable<dim>
    table(const dealii::Point<dim> &unit_point) const
    {
      return ModeTable<dim>(degree(), {unit_point}, nodes->cell);
    }

    std::shared_ptr<const MapNodes<dim>> nodes;
    int                                  sign;
  };
} // namespace Saltus

#endif
