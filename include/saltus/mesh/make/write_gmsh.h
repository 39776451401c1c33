// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_write_gmsh_h
#define saltus_mesh_make_write_gmsh_h

#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <ostream>

namespace Saltus
{
  /// Highest order of elements in Gmsh files.
  constexpr unsigned int max_gmsh_order = 5;

  /// Write a serial mesh of simplices in Gmsh's ASCII format 2.2, of the order of the
  /// nodes, 1 to 5, with all digits: GridGenerator::read_mesh() reads the same mesh from it. The
  /// physical ids of cells are their material ids, those of faces at the boundary their
  /// boundary ids. Faces with the id 0 are left out, as it is what faces without one get.
  ///
  /// @throws dealii::ExcMessage for nodes of a higher degree
  template <int dim>
  void
  write_gmsh(std::ostream                     &out,
             const dealii::Triangulation<dim> &tria,
             const CurvedNodes<dim>           &nodes);
} // namespace Saltus

#endif
