// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_subdivision_h
#define saltus_io_files_subdivision_h

#include <deal.II/base/point.h>
#include <deal.II/grid/reference_cell.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace Saltus
{
  /// The reference simplex cut into small ones.
  template <int dim>
  struct Subdivision
  {
    /// The lattice points \f$ i/k \f$ of the reference simplex, vertices, edges and inside.
    std::vector<dealii::Point<dim>> points;

    /// Indices into `points` of the vertices of each small simplex, positively oriented.
    std::vector<std::array<unsigned int, dim + 1>> simplices;
  };

  /// Cut the reference simplex into \f$ k^{dim} \f$ simplices of equal volume, conformingly (the
  /// restriction of Freudenthal's triangulation of the cube lattice).
  template <int dim>
  Subdivision<dim>
  subdivide_simplex(const unsigned int k);


  /// The cells of a VTU file that show a function on a simplex, or on a hypercube, by its values at
  /// points.
  template <int dim>
  struct ShownSimplex
  {
    std::vector<dealii::Point<dim>> points; ///< of the reference cell, i/k

    unsigned int              n_vertices; ///< a cell
    std::vector<unsigned int> vertices;   ///< `[cell][vertex]`, indices into `points`
    std::uint8_t              vtk_type;   ///< of the cells
  };

  /// The linear cells that subdivide_simplex() makes: what every reader of VTU files draws.
  template <int dim>
  ShownSimplex<dim>
  linear_cells(const unsigned int k);

  /// \f$ k^{dim} \f$ bilinear or trilinear cells.
  template <int dim>
  ShownSimplex<dim>
  cells_of_hypercube(const unsigned int k);

  /// One of VTK's Lagrange cells of order k, with the points of vtk_nodes(): it is curved where the
  /// simplex is.
  template <int dim>
  ShownSimplex<dim>
  lagrange_cell(const unsigned int k);

  /// What shows a polynomial of a degree on a simplex with a map of a degree: linear cells of an
  /// affine one, else a Lagrange cell.
  template <int dim>
  ShownSimplex<dim>
  shown_simplex(const unsigned int degree, const unsigned int map_degree)
  {
    return map_degree == 1 ? linear_cells<dim>(std::max(1U, degree))
                           : lagrange_cell<dim>(std::max(degree, map_degree));
  }

  /// The cells that show a polynomial of a degree on a cell or face of this shape, with a map of a
  /// degree.
  template <int dim>
  ShownSimplex<dim>
  shown_cell(const dealii::ReferenceCell &shape,
             const unsigned int           degree,
             const unsigned int           map_degree)
  {
    return dim > 1 && shape.is_hyper_cube()
             ? cells_of_hypercube<dim>(std::max({1U, degree, map_degree}))
             : shown_simplex<dim>(degree, map_degree);
  }
} // namespace Saltus

#endif
