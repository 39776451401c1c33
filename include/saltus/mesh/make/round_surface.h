// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_round_surface_h
#define saltus_mesh_make_round_surface_h

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/base/types.h>
#include <deal.II/grid/tria.h>

namespace Saltus
{
  /// All points at the same distance from a point (a circle or a sphere), or from a straight line
  /// (a cylinder).
  template <int dim>
  struct RoundSurface
  {
    dealii::Point<dim>     center; ///< or a point of the axis
    dealii::Tensor<1, dim> axis;   ///< direction of the cylinder's axis; zero: there is none

    /// From the centre, or from the nearest point of the axis, to @p point: a normal there.
    dealii::Tensor<1, dim>
    radius(const dealii::Point<dim> &point) const
    {
      const dealii::Tensor<1, dim> r = point - center;
      return axis.norm_square() > 0. ? r - (r * axis / axis.norm_square()) * axis : r;
    }
  };


  /// Give the boundary faces with @p id the manifold @p surface (deal.II's SphericalManifold or
  /// CylindricalManifold): refinement puts vertices of their edges on it, and its `normal_vector`
  /// is the radial direction at any point, also of triangles. The radius follows from the vertices
  /// of these faces, which must have the same one to within 1e-4 of the diameter of the face.
  /// On a fully distributed mesh each rank looks at the faces of its own cells, on others at all
  /// faces of the coarse mesh. Collective.
  ///
  /// @throws dealii::ExcMessage if no boundary face has the id, or for a vertex that does not lie
  /// on the surface, naming its position and distances
  template <int dim>
  void
  attach_manifold(dealii::Triangulation<dim>      &triangulation,
                  const dealii::types::boundary_id id,
                  const RoundSurface<dim>         &surface);


  /// Sets the manifold of attach_manifold() again on the mesh that spread_triangulation() has made.
  /// The faces and edges there have kept its id. Collective.
  template <int dim>
  void
  reattach_manifold(dealii::Triangulation<dim>      &triangulation,
                    const dealii::types::boundary_id id,
                    const RoundSurface<dim>         &surface);
} // namespace Saltus

#endif
