// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_spread_triangulation_h
#define saltus_mesh_make_spread_triangulation_h

#include <deal.II/base/mpi.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/curve/gmsh_nodes.h>

#include <functional>
#include <memory>
#include <vector>

namespace Saltus
{
  /// How a serial triangulation is to be cut into so many parts.
  /// @return `[active cell index]`: the rank of each cell
  template <int dim>
  using MeshCut = std::function<std::vector<unsigned int>(const dealii::Triangulation<dim> &,
                                                          const unsigned int n_ranks)>;

  /// A triangulation that is spread over the ranks of a communicator: on one rank a serial one,
  /// else a parallel::fullydistributed::Triangulation of one level, whose coarse cells are the
  /// active cells of the serial one, in their order. Only one rank of each node holds the whole
  /// mesh, for a while. Collective.
  ///
  /// Cells, faces and edges keep their boundary, manifold and material ids. On several ranks the
  /// manifolds themselves, which cannot travel, must be set again: see reattach_manifold().
  /// @param make fills a serial triangulation, everywhere alike; what it throws on a rank, all
  /// throw
  /// @param cut_mesh empty: by METIS. On several ranks it is called where the whole mesh is, with
  /// what
  /// @p make has filled; what it throws, all ranks throw
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>>
  spread_triangulation(const std::function<void(dealii::Triangulation<dim> &)> &make,
                       const MPI_Comm                                           communicator,
                       const MeshCut<dim>                                      &cut_mesh = {});

  /// What the cells of a triangulation that spread_triangulation() has made on several ranks have
  /// in the serial one. Collective.
  /// @param values `[active cell index]` of the serial one, on the first rank
  /// @return of this rank's cells in their order
  template <int dim>
  std::vector<double>
  spread_values(const std::vector<double> &values, const dealii::Triangulation<dim> &triangulation);

  /// The nodes of this rank's cells and its ghosts of a triangulation that spread_triangulation()
  /// has made. Collective.
  /// @param nodes of the active cells of the serial one, on the first rank
  template <int dim>
  CurvedNodes<dim>
  spread_nodes(const CurvedNodes<dim> &nodes, const dealii::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
