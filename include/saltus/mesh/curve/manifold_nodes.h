// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_manifold_nodes_h
#define saltus_mesh_curve_manifold_nodes_h

#include <saltus/mesh/curve/gmsh_nodes.h>

namespace Saltus
{
  /// Curve the cells of a serial mesh of simplices along the manifolds of its edges and, in 3D,
  /// faces. Nodes on those are where the manifold puts the mean of the vertices with the node's
  /// barycentric coordinates \f$\lambda\f$. The others follow: what an edge or face with the
  /// vertices \f$S\f$ is away from where its own edges have moved it to, \f$\prod_{i\in S}\lambda_i
  /// h(\lambda)\f$ with a polynomial \f$h\f$ on it, goes on into the cell as
  /// \f[ \prod_{i\in S}\lambda_i\, h(\lambda_i + (1-\sum_{j\in S}\lambda_j)/|S|), \f]
  /// which keeps the degree, the other edges and faces, and, under refinement, the smoothness of
  /// the maps: derivatives of order k are \f$O(h^k)\f$, as optimal rates require.
  ///
  /// Source: the blending functions of B. Szabo and I. Babuska, Finite Element Analysis (1991).
  template <int dim>
  CurvedNodes<dim>
  manifold_nodes(const dealii::Triangulation<dim> &tria, const unsigned int degree);
} // namespace Saltus

#endif
