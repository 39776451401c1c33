// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_spread_triangulation_h
#define saltus_mesh_make_spread_triangulation_h

#include <deal.II/base/mpi.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <functional>
#include <memory>

namespace Saltus
{
  /// A triangulation that is spread over the ranks of a communicator, cut by METIS: on one rank a
  /// serial one, else a parallel::fullydistributed::Triangulation of one level, whose coarse cells
  /// are the active cells of the serial one, in their order. Only one rank of each node holds the
  /// whole mesh, for a while. Collective.
  ///
  /// Cells and boundary faces keep their boundary, manifold and material ids. On several ranks the
  /// manifolds themselves, which cannot travel, must be set again.
  /// @param make fills a serial triangulation, everywhere alike; what it throws on a rank, all
  /// throw
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>>
  spread_triangulation(const std::function<void(dealii::Triangulation<dim> &)> &make,
                       const MPI_Comm                                           communicator);

  /// The nodes of this rank's cells of a triangulation that spread_triangulation() has made.
  /// Collective.
  /// @param nodes of the active cells of the serial one, on the first rank
  template <int dim>
  CurvedNodes<dim>
  spread_nodes(const CurvedNodes<dim> &nodes, const dealii::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
