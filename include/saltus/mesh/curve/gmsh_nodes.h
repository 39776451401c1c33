// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_gmsh_nodes_h
#define saltus_mesh_curve_gmsh_nodes_h

#include <deal.II/base/point.h>
#include <deal.II/base/table.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/grid/tria.h>

#include <vector>

namespace Saltus
{
  /// Where the nodes of curved cells lie: active cell \f$c\f$ of a triangulation is the image
  /// of the unit simplex or hypercube under the polynomial \f$\boldsymbol x(\hat{\boldsymbol x})\f$
  /// of a degree, on hypercubes in each direction, with \f$\boldsymbol x(\hat{\boldsymbol x}_n)=\f$
  /// `positions[c][n]` at the points \f$\hat{\boldsymbol x}_n\f$ of gmsh_nodes().
  template <int dim>
  struct CurvedNodes
  {
    unsigned int                         degree = 1;
    dealii::Table<2, dealii::Point<dim>> positions; ///< [cell][node]
  };

  /// The nodes of the simplex or hypercube of a @p degree, in the order in which Gmsh writes them
  /// ("Node ordering" and "High-order elements" in https://gmsh.info/doc/texinfo/gmsh.html): the
  /// points of the unit cell whose coordinates are multiples of 1/@p degree. Of a simplex come
  /// 1. the vertices 0, ..., dim, in deal.II's order: the origin, then \f$\boldsymbol e_1\f$ etc.,
  /// 2. those inside of the edges 01, 12, 20 and, in 3D, 30, 32, 31, each from its first vertex to
  ///    its second,
  /// 3. in 3D, those inside of the faces 021, 013, 032, 312, each as the nodes of a triangle of
  ///    degree @p degree - 3 with its vertices in this order,
  /// 4. those inside, as the nodes of a simplex of degree @p degree - dim - 1.
  ///
  /// Of a hypercube come
  /// 1. the vertices, counter-clockwise, in 3D those with z = 0 first, see dealii_vertex(),
  /// 2. those inside of the edges 01, 12, 23, 30, in 3D 01, 03, 04, 12, 15, 23, 26, 37, 45, 47, 56,
  ///    67, each from its first vertex to its second,
  /// 3. in 3D, those inside of the faces 0321, 0154, 0473, 1265, 2376, 4567, each as the nodes of a
  ///    quadrilateral of degree @p degree - 2 with its vertices in this order,
  /// 4. those inside, as the nodes of a hypercube of degree @p degree - 2.
  ///
  /// @pre degree >= 1
  template <int dim>
  std::vector<dealii::Point<dim>>
  gmsh_nodes(const unsigned int           degree,
             const dealii::ReferenceCell &cell = dealii::ReferenceCells::get_simplex<dim>());

  /// Number in deal.II's cell of the vertex that Gmsh has as number @p v.
  constexpr unsigned int
  dealii_vertex(const unsigned int v, const bool hypercube)
  {
    return hypercube ? v ^ (v >> 1 & 1) : v;
  }

  /// The inverse of dealii_vertex(), which is the same.
  constexpr unsigned int
  gmsh_vertex(const unsigned int v, const bool hypercube)
  {
    return dealii_vertex(v, hypercube);
  }

  /// The same points in the order in which VTK has those of its Lagrange curves, triangles and
  /// tetrahedra (`vtkLagrangeTetra::ToBarycentricIndex`): of the tetrahedra, edges are 01, 12, 20,
  /// 03, 13, 23 and faces 013, 231, 032, 021. Edges and triangles are as in Gmsh.
  ///
  /// @pre degree >= 1
  template <int dim>
  std::vector<dealii::Point<dim>>
  vtk_nodes(const unsigned int degree);

  /// How nodes are renumbered with the vertices of their cell: if vertex \f$v\f$ of a cell is
  /// vertex @p vertices[v] of the same cell with another order of its vertices, then node
  /// \f$n\f$ is node `result[n]` there.
  ///
  /// @param vertices a permutation of the numbers, in Gmsh, of the vertices of a simplex, or one of
  /// those of a hypercube that an affine map makes
  /// @pre degree >= 1
  template <int dim>
  std::vector<unsigned int>
  renumbered_gmsh_nodes(const unsigned int degree, const std::vector<unsigned int> &vertices);

  /// The @p nodes of the cells of a mesh in the order of the active cells of @p tria, which are the
  /// same cells, and of their vertices there. A cell is found by the positions of its vertices, the
  /// first nodes, which must agree to the last bit; row \f$c\f$ of the result belongs to the active
  /// cell \f$c\f$. Cells of other ranks have nodes if these are among @p nodes; of a mesh that
  /// mixes shapes only simplices have.
  ///
  /// @throws std::runtime_error if a cell that this rank owns is not among those of @p nodes
  template <int dim>
  CurvedNodes<dim>
  in_order_of(const dealii::Triangulation<dim> &tria, const CurvedNodes<dim> &nodes);
} // namespace Saltus

#endif
