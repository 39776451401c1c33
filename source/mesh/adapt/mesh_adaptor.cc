// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>

#include <saltus/base/device/say_once.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>
#include <saltus/mesh/adapt/periodic_levels.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Of few cells a small share is none, and of cells with the same indicator deal.II takes all
    /// or none: then the share is raised until there is one.
    template <int dim>
    void
    mark_shares(parallel::distributed::Triangulation<dim> &triangulation,
                const Vector<float>                       &indicators,
                const AdaptionRules                       &rules)
    {
      const double largest = 1. - rules.coarsened_share;
      for (double share = rules.refined_share;; share = std::min(2. * share, largest))
        {
          parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(
            triangulation, indicators, share, rules.coarsened_share);
          int is_marked = share == 0. || share >= largest;
          for (const auto &cell : triangulation.active_cell_iterators())
            if (cell->is_locally_owned() && cell->refine_flag_set())
              is_marked = 1;
          if (Utilities::MPI::max(is_marked, triangulation.get_communicator()) == 1)
            return;
        }
    }

    template <int dim>
    void
    mark_by_threshold(Triangulation<dim>  &triangulation,
                      const Vector<float> &indicators,
                      const AdaptionRules &rules)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            const double indicator = indicators[cell->active_cell_index()];
            if (indicator > rules.refine_above)
              cell->set_refine_flag();
            else if (indicator < rules.coarsen_below)
              cell->set_coarsen_flag();
          }
    }

    template <int dim>
    typename MeshAdaptor<dim>::HostVector
    with_ghosts(const DoFHandler<dim>                       &dof_handler,
                const typename MeshAdaptor<dim>::HostVector &solution)
    {
      typename MeshAdaptor<dim>::HostVector result(dof_handler.locally_owned_dofs(),
                                                   DoFTools::extract_locally_relevant_dofs(
                                                     dof_handler),
                                                   dof_handler.get_communicator());
      result.copy_locally_owned_data_from(solution);
      result.update_ghost_values();
      return result;
    }
  } // namespace

  template <int dim>
  MeshAdaptor<dim>::MeshAdaptor(parallel::distributed::Triangulation<dim> &triangulation,
                                const Mapping<dim>                        &mapping,
                                const FiniteElement<dim>                  &fe,
                                const AdaptionRules                       &rules)
    : triangulation(triangulation)
    , mapping(mapping)
    , fe(fe)
    , rules(rules)
  {}

  template <int dim>
  std::optional<typename MeshAdaptor<dim>::HostVector>
  MeshAdaptor<dim>::adapt(const HostVector &solution)
  {
    const MPI_Comm  communicator = triangulation.get_communicator();
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(fe);
    HostVector current = with_ghosts(dof_handler, solution);

    const Vector<float> indicators =
      adaption_indicators(rules.indicator, mapping, dof_handler, current, rules.first_velocity);
    if (rules.by_threshold)
      mark_by_threshold(triangulation, indicators, rules);
    else
      mark_shares(triangulation, indicators, rules);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->level() >= static_cast<int>(rules.highest_level))
        cell->clear_refine_flag();
    prepare_equal_levels(triangulation);
    int is_changed = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && (cell->refine_flag_set() || cell->coarsen_flag_set()))
        is_changed = 1;
    if (Utilities::MPI::max(is_changed, communicator) == 0)
      {
        if (++n_in_vain == 10)
          say_once("the mesh has not changed in ten adaptions, for which no cell was to be refined "
                   "or coarsened: take other shares of cells, other thresholds or another highest "
                   "level, or adapt it less often");
        return {};
      }
    n_in_vain = 0;

    for (;;)
      {
        parallel::distributed::SolutionTransfer<dim, HostVector> transfer(dof_handler);
        transfer.prepare_for_coarsening_and_refinement(current);
        triangulation.execute_coarsening_and_refinement();
        dof_handler.distribute_dofs(fe);
        HostVector moved(dof_handler.locally_owned_dofs(), communicator);
        transfer.interpolate(moved);
        if (!flag_larger_cells(triangulation))
          return moved;
        // What other ranks have refined, or could not coarsen, was not known before.
        triangulation.prepare_coarsening_and_refinement();
        current = with_ghosts(dof_handler, moved);
      }
  }

  template class MeshAdaptor<2>;
  template class MeshAdaptor<3>;
} // namespace Saltus
