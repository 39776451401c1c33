// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_curve_mesh_h
#define saltus_mesh_curve_curve_mesh_h

#include <deal.II/base/types.h>

#include <saltus/mesh/curve/gmsh_nodes.h>
#include <saltus/mesh/curve/surface.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

namespace Saltus
{
  /// How curve_mesh() moves a mesh.
  template <int dim>
  struct Curving
  {
    unsigned int degree = 2; ///< of the maps

    /// The true shape of boundaries, by their ids.
    std::map<dealii::types::boundary_id, std::shared_ptr<const Surface<dim>>> surfaces;

    /// Planes of symmetry: what is on these boundaries stays in its plane, but may slide there.
    std::set<dealii::types::boundary_id> sliding;

    /// Cells whose centre is in this box, between its lower and upper corner, are moved. The
    /// default holds all.
    std::pair<dealii::Point<dim>, dealii::Point<dim>> box = everything();

    double poisson_ratio = 0.3; ///< between -1 and 0.5

    static std::pair<dealii::Point<dim>, dealii::Point<dim>>
    everything();

    /// Whether a cell with this centre is in the box.
    bool
    is_in_box(const dealii::Point<dim> &center) const;

    /// @name Parts of what curve_mesh() looks at before it begins
    /// @throws dealii::ExcMessage
    /// @{
    void
    check_poisson_ratio() const;

    /// That boundaries which slide exist, and are not moved onto surfaces.
    void
    check_sliding(const dealii::Triangulation<dim> &tria) const;

    /// That cells with faces on surfaces are in it.
    void
    check_box(const dealii::Triangulation<dim> &tria) const;
    /// @}
  };

  /// Move the boundary of a serial mesh of straight simplices onto curved surfaces, and what is
  /// near to it with it, as an elastic body: continuous displacements of degree 2, or 1 if the maps
  /// have degree 1, that minimize \f[ \int \frac{\nu}{1-2\nu} (\nabla\cdot d)^2 +
  /// |\varepsilon(d)|^2, \quad \varepsilon(d) = \tfrac12(\nabla d + \nabla d^T), \f] on the cells
  /// in the box. On the surfaces d is what takes a node to its closest point; on the border of the
  /// box and on other boundaries it is 0. Maps of a higher degree take the rest of the way to the
  /// surface by Blending within the cells at it. A fixed number of steps of conjugate gradients for
  /// the energy in the full space follows. The vertices of @p tria are moved, too.
  ///
  /// Source: P.-O. Persson, J. Peraire, Curved mesh generation and mesh refinement using Lagrangian
  /// solid mechanics, AIAA 2009-949, with linear elasticity.
  ///
  /// @throws dealii::ExcMessage for an id that no boundary face has, a surface that is farther away
  /// from a vertex of its boundary than the diameter of the face there, a node whose closest point
  /// is so far away (with the place), a boundary with a surface that has cells outside of the box,
  /// and a Poisson ratio that is not between -1 and 0.5
  template <int dim>
  CurvedNodes<dim>
  curve_mesh(dealii::Triangulation<dim> &tria, const Curving<dim> &curving);

  /// The scaled Jacobians of the cells, `[cell]`: the least determinant of the map's Jacobian
  /// over the largest at enough points to determine it; 1 of straight cells, not positive if a cell
  /// is folded.
  template <int dim>
  std::vector<double>
  scaled_jacobians(const CurvedNodes<dim> &nodes);

  /// Curve folded cells less. All nodes of a folded cell, also those that neighbors share, move
  /// half of the way to their places in the straight cell. This repeats until the scaled Jacobian
  /// of the cell is above 0.1.
  /// @return the number of cells that were folded
  /// @throws dealii::ExcMessage with the place of a cell that is inverted with straight edges, too
  template <int dim>
  unsigned int
  straighten_folded(const dealii::Triangulation<dim> &tria, CurvedNodes<dim> &nodes);

  /// A table of the numbers of cells by their scaled Jacobian.
  std::string
  table_of_scaled_jacobians(const std::vector<double> &of_cells);

  /// @throws dealii::ExcMessage if a cell is folded, naming the places and scaled Jacobians of the
  /// first ten
  template <int dim>
  void
  check_not_folded(const dealii::Triangulation<dim> &tria, const CurvedNodes<dim> &nodes);
} // namespace Saltus

#endif
