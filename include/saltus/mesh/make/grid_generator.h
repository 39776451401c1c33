// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_grid_generator_h
#define saltus_mesh_make_grid_generator_h

#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <string>
#include <vector>

/// Meshes of triangles and tetrahedra, and some of quadrilaterals. Every function fills an empty
/// serial triangulation, orients all cells positively and sets boundary ids and manifolds.
///
/// A `distortion` \f$0\le\delta\le 0.25\f$ displaces each vertex that is not on the boundary by a
/// pseudo-random vector with components in \f$[-\delta h_d, \delta h_d]\f$, \f$h_d\f$ being the
/// spacing of the vertices in direction \f$d\f$. The displacement depends on the vertex number
/// alone, so that a mesh is the same on every machine.
///
/// Every function throws ExcMessage for more elements than can be numbered or the host has memory
/// for, see check_mesh_size(), before it takes any.
namespace Saltus::GridGenerator
{
  /// The annulus \f$r_i \le r \le r_o\f$ in the first quadrant, as @p n_radial times @p n_angular
  /// quadrilaterals in polar coordinates, each split into two triangles. Mesh A of the supersonic
  /// vortex (Fuhry et al. 2014) is `quarter_annulus(tria, 1, 1.384, 5, 18)`: 180 triangles.
  ///
  /// Boundary ids: 0 inner wall, 1 outer wall, 2 inlet (\f$x=0\f$), 3 outlet (\f$y=0\f$), for a
  /// flow that turns clockwise. Every cell and face has manifold 0, a SphericalManifold about the
  /// origin: refinement puts vertices on the circles, and `normal_vector` of a wall's manifold at
  /// a point of the straight edge is \f$\pm x/|x|\f$. (Inlet and outlet stay straight.)
  ///
  /// Throws ExcMessage unless \f$0 < r_i < r_o\f$ and both numbers are positive.
  void
  quarter_annulus(dealii::Triangulation<2> &tria,
                  const double              inner_radius,
                  const double              outer_radius,
                  const unsigned int        n_radial,
                  const unsigned int        n_angular);

  /// The same of quadrilaterals that are not split, half as many.
  void
  quarter_annulus_quadrilaterals(dealii::Triangulation<2> &tria,
                                 const double              inner_radius,
                                 const double              outer_radius,
                                 const unsigned int        n_radial,
                                 const unsigned int        n_angular);

  /// The annulus \f$r_i \le r \le r_o\f$ about the origin, for flows around a circle: @p n_radial
  /// rings of \f$2 n_\varphi\f$ triangles, \f$n_\varphi\f$ being @p n_angular. Each circle has
  /// \f$n_\varphi\f$ vertices, which stand opposite the middles of its neighbours' edges; radii
  /// grow by the same factor from circle to circle, so that all rings are similar. The triangles
  /// are nearly equilateral for \f$n_r \approx n_\varphi\ln(r_o/r_i)/(\sqrt{3}\,\pi)\f$. The mesh
  /// is symmetric about the x axis.
  ///
  /// Boundary ids: 0 inner circle, 1 outer circle. Every cell and face has manifold 0, a
  /// SphericalManifold about the origin.
  ///
  /// Throws ExcMessage unless \f$0 < r_i < r_o\f$, @p n_radial is positive and @p n_angular at
  /// least 3.
  void
  annulus(dealii::Triangulation<2> &tria,
          const double              inner_radius,
          const double              outer_radius,
          const unsigned int        n_radial,
          const unsigned int        n_angular);

  /// The same of @p n_radial rings of @p n_angular quadrilaterals, with all vertices of a radius on
  /// one line.
  void
  annulus_quadrilaterals(dealii::Triangulation<2> &tria,
                         const double              inner_radius,
                         const double              outer_radius,
                         const unsigned int        n_radial,
                         const unsigned int        n_angular);

  /// \f$[0,4]\times[0,1]\f$ for the double Mach reflection, the wedge beginning at
  /// \f$x_0=1/6\f$, which is a vertex. A structured grid of \f$n_x\times n_y\f$ quadrilaterals
  /// whose inner vertices are displaced by @p distortion and which are split along their shorter
  /// diagonal: inner vertices meet four to eight triangles. No angle is below 20 degrees at the
  /// default.
  ///
  /// \f$2 n_x n_y\f$ is as near to @p n_triangles as \f$3.2 \le n_x/n_y \le 4.4\f$ allows. The
  /// meshes of Fuhry et al. 2014 with 68,622, 236,964 and 964,338 triangles become 68,620, 236,964
  /// and 964,330; 2,000 becomes 2,006.
  ///
  /// Boundary ids: 0 left, 1 right, 2 bottom up to \f$x_0\f$ (post-shock state), 3 bottom beyond
  /// (wall), 4 top.
  ///
  /// Throws ExcMessage if @p n_triangles is less than 500 or the distortion out of range.
  void
  double_mach_reflection(dealii::Triangulation<2> &tria,
                         const unsigned int        n_triangles,
                         const double              distortion = 0.15);

  /// The same of \f$ 24 n \times 6 n \f$ squares, as near to @p n_cells as can be.
  void
  double_mach_quadrilaterals(dealii::Triangulation<2> &tria, const unsigned int n_cells);

  /// The wind tunnel with a step of Woodward and Colella (J. Comput. Phys. 54, 1984):
  /// \f$[0,3]\times[0,1]\f$ without \f$[0.6,3]\times[0,0.2]\f$. Squares of side \f$1/n\f$, \f$n\f$
  /// a multiple of 5, whose vertices inside are displaced by @p distortion and which are split
  /// along their shorter diagonal: \f$5.04 n^2\f$ triangles, as near to @p n_triangles as can be.
  /// 2,000 becomes 2,016 (\f$n=20\f$), 32,000 becomes 32,256 (\f$n=80\f$).
  ///
  /// Boundary ids: 0 left, 1 right, 2 walls of the tunnel, 3 the step.
  ///
  /// Throws ExcMessage if @p n_triangles is less than 500 or the distortion out of range.
  void
  forward_step(dealii::Triangulation<2> &tria,
               const unsigned int        n_triangles,
               const double              distortion = 0.15);

  /// The same of squares, \f$ 2.52 n^2 \f$.
  void
  forward_step_quadrilaterals(dealii::Triangulation<2> &tria, const unsigned int n_cells);

  /// The box between @p p1 and @p p2 with @p subdivisions cuboids in each direction, each split
  /// into two triangles or six tetrahedra (Kuhn's subdivision: one simplex for each order of the
  /// axes). Opposite sides are images of each other, also with a distortion and for every number of
  /// subdivisions, as periodic boundaries require.
  ///
  /// Boundary ids: \f$2d\f$ for the lower and \f$2d+1\f$ for the upper side in direction \f$d\f$.
  ///
  /// Throws ExcMessage if a side of the box or a number of subdivisions is not positive, or the
  /// distortion out of range.
  template <int dim>
  void
  box(dealii::Triangulation<dim>      &tria,
      const dealii::Point<dim>        &p1,
      const dealii::Point<dim>        &p2,
      const std::vector<unsigned int> &subdivisions,
      const double                     distortion = 0.);

  /// The disc about the origin, as @p n_rings rings of \f$6(2k-1)\f$ triangles, \f$k=1,2,\dots\f$:
  /// \f$6 n^2\f$ triangles in all.
  ///
  /// Boundary id 0. Boundary faces have manifold 0, a SphericalManifold about the origin.
  ///
  /// Throws ExcMessage if the radius or the number of rings is not positive.
  void
  disc(dealii::Triangulation<2> &tria, const double radius, const unsigned int n_rings);

  /// Cut every third quadrilateral of a mesh without refined cells into two triangles, along the
  /// shorter of its diagonals. Ids and manifolds stay.
  void
  cut_quadrilaterals(dealii::Triangulation<2> &tria);

  /// Read a mesh of triangles or tetrahedra, or of quadrilaterals or hexahedra, as @p cell says
  /// (ReferenceCells::Invalid: of triangles and quadrilaterals, of first order),
  /// from the Gmsh file @p filename (ASCII, format 2.2 or 4.1). Physical ids of boundary edges or
  /// faces become boundary ids, those of cells material ids; a boundary without one has id 0. Faces
  /// between two cells have no id; a note on standard error names their physical ids. Cells
  /// of negative orientation are inverted. No manifold is set.
  ///
  /// With @p nodes, meshes of order 1 to 5 are accepted, otherwise those of first order alone. The
  /// triangulation is made from the vertices; the positions of all nodes, in the order of
  /// gmsh_nodes(), go to @p nodes: row \f$c\f$ is that of the active cell \f$c\f$, whose vertices
  /// are the first nodes, in the same order but for dealii_vertex().
  ///
  /// Throws ExcMessage, naming the file, if it is missing or cannot be read as such a mesh, or if
  /// it contains other shapes or orders, a cell of no volume, or a vertex on a boundary face
  /// without a physical id to which it does not belong. The triangulation and the nodes are empty
  /// then.
  template <int dim>
  void
  read_mesh(dealii::Triangulation<dim>  &tria,
            const std::string           &filename,
            CurvedNodes<dim>            *nodes = nullptr,
            const dealii::ReferenceCell &cell  = dealii::ReferenceCells::get_simplex<dim>());
} // namespace Saltus::GridGenerator

#endif
