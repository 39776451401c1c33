// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_points_h
#define saltus_operators_polytopic_polytopic_points_h

#include <saltus/operators/polytopic/polytopic_space.h>

#include <vector>

namespace Saltus
{
  /// Quadrature points of polytopic elements, made of those of their cells and the cells' faces.
  /// The rules integrate products of two polynomials of the elements exactly in affine cells, and
  /// on their faces those of the two neighbours.
  template <int dim>
  struct PolytopicPoints
  {
    /// Of cells and faces of one kind, so many at a time.
    struct Set
    {
      std::vector<std::size_t>        starts; ///< `[part]`, and the number of points
      std::vector<dealii::Point<dim>> points;
      std::vector<int>                owners; ///< `[point]`: number of the cell or facet
    };

    /// @param extra_degree of all rules
    PolytopicPoints(const PolytopicSpace<dim> &space, const unsigned int extra_degree);

    Set                 volume; ///< parts are elements, owners active cells
    std::vector<double> weights;

    /// Parts are the interfaces of element 0 with its neighbours in ascending order and its
    /// boundary, then those of element 1, ...; owners are facets, counted through all elements.
    Set                                 faces;
    std::vector<dealii::Tensor<1, dim>> normals; ///< outward, with the weight as length

    /// `[element]`: its neighbours in ascending order
    std::vector<std::vector<unsigned int>> neighbors;

  private:
    void
    make_volume(const PolytopicSpace<dim> &space, const unsigned int extra_degree);

    void
    make_faces(const PolytopicSpace<dim> &space, const unsigned int extra_degree);
  };
} // namespace Saltus

#endif
