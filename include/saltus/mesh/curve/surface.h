// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_surface_h
#define saltus_mesh_curve_surface_h

#include <deal.II/base/point.h>

#include <vector>

namespace Saltus
{
  /// A curve in 2D or a surface in 3D, to which the boundary of a mesh is moved: curve_mesh().
  template <int dim>
  class Surface
  {
  public:
    virtual ~Surface() = default;

    /// The point of the surface that is nearest to @p point.
    /// @param corners points of the surface, the vertices of the edge or face that the point is of:
    /// the nearest point is looked for between them, so that none is on the other side of a thin
    /// edge. If there are none, it is looked for everywhere.
    ///
    /// Several threads call this function at the same time.
    virtual dealii::Point<dim>
    closest_point(const dealii::Point<dim>              &point,
                  const std::vector<dealii::Point<dim>> &corners = {}) const = 0;
  };
} // namespace Saltus

#endif
