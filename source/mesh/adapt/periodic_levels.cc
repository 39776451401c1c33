// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/grid/grid_tools.h>

#include <saltus/mesh/adapt/periodic_levels.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    using OnP4est = parallel::distributed::Triangulation<dim>;

    /// Whether a cell and all its siblings are to become one.
    template <typename Cell>
    bool
    is_coarsened(const Cell &cell)
    {
      if (cell->level() == 0 || !cell->coarsen_flag_set())
        return false;
      for (const auto &sibling : cell->parent()->child_iterators())
        if (!sibling->is_active() || !sibling->coarsen_flag_set())
          return false;
      return true;
    }

    /// Levels that a cell will have more.
    template <typename Cell>
    int
    change_of_level(const Cell &cell)
    {
      return cell->refine_flag_set() ? 1 : is_coarsened(cell) ? -1 : 0;
    }

    /// Of all cells, also of those of other ranks that touch own ones.
    template <int dim>
    std::vector<int>
    changes_of_levels(OnP4est<dim> &triangulation)
    {
      using Cell = typename Triangulation<dim>::active_cell_iterator;
      std::vector<int> changes(triangulation.n_active_cells());
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          changes[cell->active_cell_index()] = change_of_level(cell);
      GridTools::exchange_cell_data_to_ghosts<int, Triangulation<dim>>(
        triangulation,
        [&](const Cell &cell) { return changes[cell->active_cell_index()]; },
        [&](const Cell &cell, const int change) { changes[cell->active_cell_index()] = change; });
      return changes;
    }

    /// Flag cells of other ranks as these have, with their siblings where they are coarsened:
    /// deal.II coarsens no cell beside smaller ones of which it does not know that they are, too.
    /// @return what they are, by active index; 0 of own cells; nothing where there is one rank
    template <int dim>
    std::vector<int>
    set_flags_of_ghosts(OnP4est<dim> &triangulation)
    {
      if (Utilities::MPI::n_mpi_processes(triangulation.get_communicator()) == 1)
        return {};
      std::vector<int> changes = changes_of_levels(triangulation);
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          changes[cell->active_cell_index()] = 0;
        else
          {
            cell->clear_refine_flag();
            cell->clear_coarsen_flag();
          }
      for (const auto &cell : triangulation.active_cell_iterators())
        if (const int change = changes[cell->active_cell_index()]; cell->is_ghost())
          {
            if (change > 0)
              cell->set_refine_flag();
            else if (change < 0)
              for (const auto &sibling : cell->parent()->child_iterators())
                if (sibling->is_active() && !sibling->is_locally_owned())
                  sibling->set_coarsen_flag();
          }
      return changes;
    }

    /// Flag cells that would become larger than those across a periodic boundary.
    template <int dim>
    bool
    raise_flags(OnP4est<dim> &triangulation)
    {
      const std::vector<int> changes   = changes_of_levels(triangulation);
      int                    is_raised = 0;
      for (const auto &[face, opposite] : triangulation.get_periodic_face_map())
        if (const auto &cell = face.first; cell->is_active() && cell->is_locally_owned())
          {
            const auto &across = opposite.first.first;
            const int   wanted =
              across->is_active()
                  ? across->level() + changes[across->active_cell_index()] - cell->level()
                  : 1;
            if (wanted <= change_of_level(cell))
              continue;
            is_raised = 1;
            cell->clear_coarsen_flag();
            if (wanted > 0)
              cell->set_refine_flag();
          }
      return Utilities::MPI::max(is_raised, triangulation.get_communicator()) == 1;
    }
  } // namespace

  template <int dim>
  void
  join_periodic_boundaries(OnP4est<dim>                        &triangulation,
                           const std::vector<PeriodicBoundary> &boundaries)
  {
    if (boundaries.empty())
      return;
    const auto faces = periodic_faces_of(triangulation, boundaries);
    match_periodic_faces(triangulation, faces); // whose messages say what does not fit
    std::vector<GridTools::PeriodicFacePair<typename Triangulation<dim>::cell_iterator>> pairs;
    for (const auto &[first, second, translation] : faces)
      {
        // deal.II takes the translation in one direction from the faces, in others from here.
        unsigned int direction = 0;
        for (unsigned int d = 1; d < dim; ++d)
          if (std::abs(translation[d]) > std::abs(translation[direction]))
            direction = d;
        Tensor<1, dim> offset = translation;
        offset[direction]     = 0.;
        GridTools::collect_periodic_faces(triangulation, first, second, direction, pairs, offset);
      }
    triangulation.add_periodicity(pairs);
  }

  template <int dim>
  bool
  flag_larger_cells(OnP4est<dim> &triangulation)
  {
    return !triangulation.get_periodic_face_map().empty() && raise_flags(triangulation);
  }

  template <int dim>
  void
  prepare_equal_levels(OnP4est<dim> &triangulation)
  {
    flag_larger_cells(triangulation); // most often all that there are
    std::vector<int> of_ghosts = set_flags_of_ghosts(triangulation);
    for (bool is_changed = true; is_changed;)
      {
        triangulation.prepare_coarsening_and_refinement();
        is_changed                   = flag_larger_cells(triangulation);
        const std::vector<int> after = set_flags_of_ghosts(triangulation);
        is_changed |= Utilities::MPI::max(static_cast<int>(after != of_ghosts),
                                          triangulation.get_communicator()) == 1;
        of_ghosts = after;
      }
  }

#define SALTUS_PERIODIC_LEVELS(dim)                                                              \
  template void join_periodic_boundaries(OnP4est<dim> &, const std::vector<PeriodicBoundary> &); \
  template void prepare_equal_levels(OnP4est<dim> &);                                            \
  template bool flag_larger_cells(OnP4est<dim> &);
  SALTUS_PERIODIC_LEVELS(2)
  SALTUS_PERIODIC_LEVELS(3)
#undef SALTUS_PERIODIC_LEVELS
} // namespace Saltus
