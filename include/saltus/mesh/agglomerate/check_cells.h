// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_check_cells_h
#define saltus_mesh_agglomerate_check_cells_h

#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

namespace Saltus
{
  /// Check that cells cover each point near them once. Where the maps of neighbors agree on faces
  /// of equal size, polynomials then satisfy the divergence theorem in every union of cells.
  /// Collective.
  /// @throws dealii::ExcMessage on all ranks that names the first cell of this rank whose map has a
  /// determinant of 0 or less somewhere, the first face whose cells lie on the same side of it, or
  /// the first hanging face where the maps of both sides differ
  template <int dim>
  void
  check_cells(const dealii::Mapping<dim> &mapping, const dealii::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
