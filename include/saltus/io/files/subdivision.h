// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_subdivision_h
#define saltus_io_files_subdivision_h

#include <deal.II/base/point.h>

#include <array>
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
} // namespace Saltus

#endif
