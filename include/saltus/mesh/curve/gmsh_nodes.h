// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_gmsh_nodes_h
#define saltus_mesh_curve_gmsh_nodes_h

#include <deal.II/base/point.h>
#include <deal.II/base/table.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// Where the nodes of curved simplices lie: active cell \f$c\f$ of a triangulation is the image
  /// of the unit simplex under the polynomial \f$\boldsymbol x(\hat{\boldsymbol x})\f$ of a degree
  /// with \f$\boldsymbol x(\hat{\boldsymbol x}_n)=\f$ `positions[c][n]` at the points
  /// \f$\hat{\boldsymbol x}_n\f$ of gmsh_nodes().
  template <int dim>
  struct CurvedNodes
  {
    unsigned int                         degree = 1;
    dealii::Table<2, dealii::Point<dim>> positions; ///< [cell][node]
  };

  /// The nodes of the simplex of a @p degree, in the order in which Gmsh writes them ("Node
  /// ordering" and "High-order elements" in https://gmsh.info/doc/texinfo/gmsh.html): the points
  /// of the unit simplex whose coordinates are multiples of 1/@p degree. Of these come
  /// 1. the vertices 0, ..., dim, in deal.II's order: the origin, then \f$\boldsymbol e_1\f$ etc.,
  /// 2. those inside of the edges 01, 12, 20 and, in 3D, 30, 32, 31, each from its first vertex to
  ///    its second,
  /// 3. in 3D, those inside of the faces 021, 013, 032, 312, each as the nodes of a triangle of
  ///    degree @p degree - 3 with its vertices in this order,
  /// 4. those inside, as the nodes of a simplex of degree @p degree - dim - 1.
  ///
  /// @pre degree >= 1
  template <int dim>
  std::vector<dealii::Point<dim>>
  gmsh_nodes(const unsigned int degree);

  /// The same points in the order in which VTK has those of its Lagrange curves, triangles and
  /// tetrahedra (`vtkLagrangeTetra::ToBarycentricIndex`): of the tetrahedra, edges are 01, 12, 20,
  /// 03, 13, 23 and faces 013, 231, 032, 021. Edges and triangles are as in Gmsh.
  ///
  /// @pre degree >= 1
  template <int dim>
  std::vector<dealii::Point<dim>>
  vtk_nodes(const unsigned int degree);

  /// How nodes are renumbered with the vertices of their simplex: if vertex \f$v\f$ of a simplex is
  /// vertex @p vertices[v] of the same simplex with another order of its vertices, then node
  /// \f$n\f$ is node `result[n]` there.
  ///
  /// @param vertices a permutation of 0, ..., dim
  /// @pre degree >= 1
  template <int dim>
  std::vector<unsigned int>
  renumbered_gmsh_nodes(const unsigned int                       degree,
                        const std::array<unsigned int, dim + 1> &vertices);

  /// The @p nodes of the cells of a mesh in the order of the active cells of @p tria, which are the
  /// same cells, and of their vertices there. A cell is found by the positions of its vertices, the
  /// first nodes, which must agree to the last bit; row \f$c\f$ of the result belongs to the active
  /// cell \f$c\f$. Cells of other ranks have no nodes.
  ///
  /// @throws std::runtime_error if a cell is not among those of @p nodes
  template <int dim>
  CurvedNodes<dim>
  in_order_of(const dealii::Triangulation<dim> &tria, const CurvedNodes<dim> &nodes);
} // namespace Saltus

#endif
