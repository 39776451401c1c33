// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_refine_curved_h
#define saltus_mesh_curve_refine_curved_h

#include <saltus/mesh/curve/gmsh_nodes.h>

namespace Saltus
{
  /// Refine all cells of a serial mesh of curved simplices once. A child is the part of its parent
  /// that the parent's map makes of a part of the reference cell: the region stays what it is, and
  /// new vertices lie on curved edges, wherever manifolds would put them.
  ///
  /// @param tria refined globally if at all
  /// @param nodes of the active cells, before and afterwards
  template <int dim>
  void
  refine_curved(dealii::Triangulation<dim> &tria, CurvedNodes<dim> &nodes);
} // namespace Saltus

#endif
