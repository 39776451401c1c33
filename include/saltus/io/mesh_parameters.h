// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_mesh_parameters_h
#define saltus_io_mesh_parameters_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

namespace Saltus
{
  /// Declare the section `Mesh`: a generated mesh or a file, and refinements.
  void
  declare_mesh_parameters(dealii::ParameterHandler &prm);

  /// Make the mesh that the section `Mesh` asks for.
  /// @throws dealii::ExcMessage naming the entry for lists of the wrong length, meshes that do not
  /// exist in this dimension and what GridGenerator refuses
  template <int dim>
  void
  make_mesh(dealii::ParameterHandler &prm, dealii::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
