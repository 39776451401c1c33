// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_manifold_nodes_h
#define saltus_mesh_curve_manifold_nodes_h

#include <saltus/mesh/curve/gmsh_nodes.h>

namespace Saltus
{
  /// Curve the cells of a serial mesh of simplices along the manifolds of its edges and, in 3D,
  /// faces. Nodes on those are where the manifold puts the mean of the vertices with the node's
  /// barycentric coordinates \f$\lambda\f$. The others follow by Blending, edges before faces,
  /// which keeps, under refinement, the smoothness of the maps: derivatives of order k are
  /// \f$O(h^k)\f$, as optimal rates require.
  template <int dim>
  CurvedNodes<dim>
  manifold_nodes(const dealii::Triangulation<dim> &tria, const unsigned int degree);
} // namespace Saltus

#endif
