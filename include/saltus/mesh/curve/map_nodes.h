// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_map_nodes_h
#define saltus_mesh_curve_map_nodes_h

#include <deal.II/base/point.h>
#include <deal.II/base/table.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/lac/full_matrix.h>

#include <vector>

/// Polynomials on the reference cell, in the modes of SimplexModalPolynomials or of
/// HypercubeCollocationPolynomials, and where their values determine them.
namespace Saltus
{
  /// Points of the reference cell at which values determine the polynomials of degree
  /// @p degree >= 1. On quadrilaterals and hexahedra they are the tensor product of the
  /// Gauss-Lobatto points, the first direction fastest; on simplices they are as follows.
  ///
  /// A permutation of the vertices permutes the points. Those on a face are the points of a simplex
  /// of one dimension less, and determine polynomials on the face; those on an edge are the
  /// Gauss-Lobatto points.
  ///
  /// A point with the indices \f$\alpha\f$, which sum to the degree n, is the mean of the points of
  /// the faces that have the indices without one, \f$\alpha_i\f$, with the 1D node number
  /// \f$n - \alpha_i\f$ as their weights.
  ///
  /// Source: T. Isaac, Recursive, parameter-free, explicitly defined interpolation nodes for
  /// simplices, SIAM J. Sci. Comput. 42 (2020).
  template <int dim>
  std::vector<dealii::Point<dim>>
  map_nodes(const unsigned int           degree,
            const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

  /// The modes of a degree and their gradients at points of the reference cell. On simplices, where
  /// modes are ordered by their degree, the table serves polynomials of all lower degrees, too.
  template <int dim>
  class ModeTable
  {
  public:
    ModeTable(const unsigned int                     degree,
              const std::vector<dealii::Point<dim>> &points,
              const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

    dealii::FullMatrix<double>               values;    ///< `(q, m)`
    dealii::Table<2, dealii::Tensor<1, dim>> gradients; ///< `(q, m)`

    unsigned int
    n_points() const
    {
      return values.m();
    }
  };

  /// Interpolation at the nodes of one degree.
  template <int dim>
  class MapNodes
  {
  public:
    explicit MapNodes(
      const unsigned int           degree,
      const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

    const unsigned int              degree;
    const dealii::ReferenceCell     cell;
    std::vector<dealii::Point<dim>> points; ///< `[i]`, as many as modes
    ModeTable<dim>                  at_points;
    dealii::FullMatrix<double>      modes; ///< `(m, i)`: of the polynomial that is 1 at node i only
  };
} // namespace Saltus

#endif
