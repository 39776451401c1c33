// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_box_cells_h
#define saltus_mesh_make_box_cells_h

#include <saltus/mesh/make/flat_mesh.h>

#include <vector>

namespace Saltus::GridGenerator
{
  /// The mesh of box(), with its boundary ids, before it becomes a triangulation.
  template <int dim>
  FlatMesh<dim>
  box_cells(const dealii::Point<dim>        &p1,
            const dealii::Point<dim>        &p2,
            const std::vector<unsigned int> &subdivisions,
            const double                     distortion = 0.);
} // namespace Saltus::GridGenerator

#endif
