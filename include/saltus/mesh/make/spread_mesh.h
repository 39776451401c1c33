// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_spread_mesh_h
#define saltus_mesh_make_spread_mesh_h

#include <deal.II/base/mpi.h>

#include <saltus/mesh/make/flat_mesh.h>

#include <functional>
#include <memory>

namespace Saltus
{
  /// The triangulation of spread_triangulation() of several ranks, from a mesh that is no
  /// triangulation yet and without manifolds. Most refinements are made by all ranks, each on its
  /// cells and their neighbors. Collective.
  /// @param make is called on one rank of each node and makes the same mesh on all; what it throws
  /// on a rank, all throw
  /// @param n_refinements of all cells, isotropic; read after the call of @p make on the same ranks
  template <int dim>
  std::unique_ptr<dealii::Triangulation<dim>>
  spread_mesh(const std::function<FlatMesh<dim>()> &make,
              const MPI_Comm                        communicator,
              const unsigned int                   &n_refinements);
} // namespace Saltus

#endif
