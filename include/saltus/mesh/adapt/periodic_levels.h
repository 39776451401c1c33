// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_periodic_levels_h
#define saltus_mesh_adapt_periodic_levels_h

#include <deal.II/distributed/tria.h>

#include <saltus/mesh/periodic_faces.h>

#include <vector>

/// Cells that meet across a periodic boundary are of one level: there are no hanging faces.
namespace Saltus
{
  /// Join the boundaries of a mesh that has not been refined, for deal.II and p4est. Collective.
  /// @throws dealii::ExcMessage what match_periodic_boundaries() throws
  template <int dim>
  void
  join_periodic_boundaries(dealii::parallel::distributed::Triangulation<dim> &triangulation,
                           const std::vector<PeriodicBoundary>               &boundaries);

  /// `prepare_coarsening_and_refinement()`, so that each cell will have the level of those across
  /// periodic boundaries, as far as the cells that one rank knows decide it. Ranks tell each other
  /// which cells change: which these are does not depend on their number. Collective.
  template <int dim>
  void
  prepare_equal_levels(dealii::parallel::distributed::Triangulation<dim> &triangulation);

  /// Flag cells that are larger than those across a periodic boundary for refinement. Collective.
  /// @return whether there are any
  template <int dim>
  bool
  flag_larger_cells(dealii::parallel::distributed::Triangulation<dim> &triangulation);
} // namespace Saltus

#endif
