// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_nodal_gradients_h
#define saltus_mesh_curve_nodal_gradients_h

#include <saltus/mesh/curve/gmsh_nodes.h>
#include <saltus/mesh/curve/map_nodes.h>

namespace Saltus
{
  /// `(q, n)`: the gradient at @p points of the polynomial of degree @p degree that is 1 at node n
  /// of gmsh_nodes() and 0 at the others.
  template <int dim>
  dealii::Table<2, dealii::Tensor<1, dim>>
  nodal_gradients(const unsigned int degree, const std::vector<dealii::Point<dim>> &points)
  {
    const ModeTable<dim>       at_nodes(degree, gmsh_nodes<dim>(degree)), at_points(degree, points);
    const unsigned int         n = at_nodes.n_points();
    dealii::FullMatrix<double> modes(n, n); // (m, n): of that polynomial
    modes.invert(at_nodes.values);
    dealii::Table<2, dealii::Tensor<1, dim>> result(points.size(), n);
    for (unsigned int q = 0; q < points.size(); ++q)
      for (unsigned int m = 0; m < n; ++m)
        for (unsigned int i = 0; i < n; ++i)
          result(q, i) += modes(m, i) * at_points.gradients(q, m);
    return result;
  }
} // namespace Saltus

#endif
