// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/numerics/derivative_approximation.h>
#include <deal.II/numerics/error_estimator.h>

#include <saltus/base/device/say_once.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    Vector<float>
    indicators(const AdaptionIndicator                      kind,
               const Mapping<dim>                          &mapping,
               const DoFHandler<dim>                       &dof_handler,
               const typename MeshAdaptor<dim>::HostVector &solution)
    {
      const auto   &triangulation = dof_handler.get_triangulation();
      Vector<float> result(triangulation.n_active_cells());
      if (kind == AdaptionIndicator::kelly)
        {
          ComponentMask first(dof_handler.get_fe().n_components(), false);
          first.set(0, true);
          KellyErrorEstimator<dim>::estimate(mapping,
                                             dof_handler,
                                             QGauss<dim - 1>(dof_handler.get_fe().degree + 1),
                                             {},
                                             solution,
                                             result,
                                             first);
        }
      else
        {
          DerivativeApproximation::approximate_gradient(mapping, dof_handler, solution, result);
          for (const auto &cell : triangulation.active_cell_iterators())
            if (cell->is_locally_owned())
              result[cell->active_cell_index()] *= std::pow(cell->diameter(), 1. + 0.5 * dim);
        }
      return result;
    }

    /// Of few cells a small share is none, and of cells with the same indicator deal.II takes all
    /// or none: then the share is raised until there is one.
    template <int dim>
    void
    mark(parallel::distributed::Triangulation<dim> &triangulation,
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
    HostVector with_ghosts(dof_handler.locally_owned_dofs(),
                           DoFTools::extract_locally_relevant_dofs(dof_handler),
                           communicator);
    with_ghosts.copy_locally_owned_data_from(solution);
    with_ghosts.update_ghost_values();

    mark(triangulation, indicators(rules.indicator, mapping, dof_handler, with_ghosts), rules);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->level() >= static_cast<int>(rules.highest_level))
        cell->clear_refine_flag();
    triangulation.prepare_coarsening_and_refinement();
    int is_changed = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && (cell->refine_flag_set() || cell->coarsen_flag_set()))
        is_changed = 1;
    if (Utilities::MPI::max(is_changed, communicator) == 0)
      {
        if (++n_in_vain == 10)
          say_once("the mesh has not changed in ten adaptions, for which no cell was to be refined "
                   "or coarsened: take other shares of cells or another highest level, or adapt "
                   "it less often");
        return {};
      }
    n_in_vain = 0;

    parallel::distributed::SolutionTransfer<dim, HostVector> transfer(dof_handler);
    transfer.prepare_for_coarsening_and_refinement(with_ghosts);
    triangulation.execute_coarsening_and_refinement();
    dof_handler.distribute_dofs(fe);
    HostVector moved(dof_handler.locally_owned_dofs(), communicator);
    transfer.interpolate(moved);
    return moved;
  }

  template class MeshAdaptor<2>;
  template class MeshAdaptor<3>;
} // namespace Saltus
