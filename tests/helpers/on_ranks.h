// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_on_ranks_h
#define saltus_tests_helpers_on_ranks_h

#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/shared_tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/fe/dg_element.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/vectors.h>
#include <memory>
#include <string>
#include <vector>

/// A mesh that every rank has, spread over the ranks, and the way between vectors on both.
namespace Saltus::Tests
{
  inline unsigned int
  n_ranks()
  {
    return dealii::Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  }

  inline unsigned int
  this_rank()
  {
    return dealii::Utilities::MPI::this_mpi_process(MPI_COMM_WORLD);
  }

  /// Which rank has which cells.
  enum class Spread
  {
    compact,   ///< as METIS says
    scattered, ///< by turns, so that nearly all elements have shared faces
    crowded,   ///< the last rank has none, the first only one, others the rest
    shared     ///< as METIS says, but all ranks have all cells: parallel::shared::Triangulation
  };

  const std::vector<Spread> all_spreads = {Spread::compact,
                                           Spread::scattered,
                                           Spread::crowded,
                                           Spread::shared};

  /// For the repetitions of a comparison with all of them: most elements at borders, and a rank
  /// that has none.
  const std::vector<Spread> hardest_spreads = {Spread::scattered, Spread::crowded};

  inline std::string
  to_string(const Spread spread)
  {
    const std::string name = spread == Spread::compact     ? "compact"
                             : spread == Spread::scattered ? "scattered"
                             : spread == Spread::crowded   ? "crowded"
                                                           : "shared";
    return name + " on " + std::to_string(n_ranks()) + " ranks";
  }

  template <int dim>
  void
  spread_cells(dealii::Triangulation<dim> &triangulation, const Spread spread)
  {
    const unsigned int n = n_ranks();
    if (spread == Spread::compact)
      dealii::GridTools::partition_triangulation(n, triangulation);
    else
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          const unsigned int i      = cell->active_cell_index();
          const unsigned int middle = n > 2 ? n - 2 : 1;
          cell->set_subdomain_id(spread == Spread::scattered ? i % n
                                 : n == 1 || i == 0          ? 0
                                 : n == 2                    ? 0
                                                             : 1 + i % std::max(middle, 1U));
        }
  }

  template <int dim>
  class OnRanks
  {
  public:
    /// @param everywhere the mesh and the degrees of freedom on it, the same on all ranks
    OnRanks(const dealii::DoFHandler<dim> &everywhere, const Spread spread)
      : triangulation(spread == Spread::shared ? share(everywhere.get_triangulation())
                                               : cut(everywhere.get_triangulation(), spread))
      , dof_handler(*triangulation)
      , everywhere(everywhere)
    {
      distribute_dofs(dof_handler, everywhere.get_fe_collection());
    }

    using Vector = dealii::LinearAlgebra::distributed::Vector<double>;

    /// This rank's part.
    Vector
    part_of(const dealii::Vector<double> &all) const
    {
      Vector part(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      for_dofs([&](const auto here, const auto there) { part(here) = all(there); });
      return part;
    }

    /// All parts, on every rank.
    dealii::Vector<double>
    whole(const Vector &part) const
    {
      dealii::Vector<double> all(everywhere.n_dofs());
      for_dofs([&](const auto here, const auto there) { all(there) = part(here); });
      dealii::Utilities::MPI::sum(all, MPI_COMM_WORLD, all);
      return all;
    }

    const std::unique_ptr<dealii::Triangulation<dim>> triangulation;
    dealii::DoFHandler<dim>                           dof_handler;

  private:
    static std::unique_ptr<dealii::Triangulation<dim>>
    share(const dealii::Triangulation<dim> &whole)
    {
      using Shared = dealii::parallel::shared::Triangulation<dim>;
      auto result  = std::make_unique<Shared>(MPI_COMM_WORLD,
                                             dealii::Triangulation<dim>::none,
                                             false,
                                             Shared::partition_metis);
      result->copy_triangulation(whole);
      return result;
    }

    static std::unique_ptr<dealii::Triangulation<dim>>
    cut(const dealii::Triangulation<dim> &whole, const Spread spread)
    {
      dealii::Triangulation<dim> serial;
      serial.copy_triangulation(whole);
      spread_cells(serial, spread);
      auto result =
        std::make_unique<dealii::parallel::fullydistributed::Triangulation<dim>>(MPI_COMM_WORLD);
      result->create_triangulation(
        dealii::TriangulationDescription::Utilities::create_description_from_triangulation(
          serial, MPI_COMM_WORLD));
      for (const dealii::types::manifold_id id : whole.get_manifold_ids())
        if (id != dealii::numbers::flat_manifold_id)
          result->set_manifold(id, whole.get_manifold(id));
      return result;
    }

    /// Call @p body(number here, number everywhere) for this rank's degrees of freedom.
    template <typename Body>
    void
    for_dofs(const Body &body) const
    {
      std::vector<dealii::types::global_dof_index> here, there;
      for (const auto &cell : dof_handler.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            const unsigned int n = cell->get_fe().n_dofs_per_cell();
            here.resize(n);
            there.resize(n);
            cell->get_dof_indices(here);
            const auto same = everywhere.get_triangulation().create_cell_iterator(cell->id());
            const typename dealii::DoFHandler<dim>::cell_iterator dofs(
              &everywhere.get_triangulation(), same->level(), same->index(), &everywhere);
            dofs->get_dof_indices(there);
            for (unsigned int i = 0; i < n; ++i)
              body(here[i], there[i]);
          }
    }

    const dealii::DoFHandler<dim> &everywhere;
  };

  /// Velocity and pressure on one mesh.
  template <int dim>
  struct FlowParts
  {
    FlowParts(const dealii::DoFHandler<dim> &velocity,
              const dealii::DoFHandler<dim> &pressure,
              const Spread                   spread)
      : velocity(velocity, spread)
      , pressure(pressure, spread)
      , pressure_dofs(*this->velocity.triangulation)
    {
      // Both spread the cells alike and so have the same numbers of degrees of freedom.
      distribute_dofs(pressure_dofs, pressure.get_fe_collection());
    }

    const OnRanks<dim>      velocity, pressure;
    dealii::DoFHandler<dim> pressure_dofs;
  };

  /// What @p change(degrees of freedom, vector on them) makes of a state: on one rank, and on all.
  /// They differ by rounding.
  template <int dim, typename Change>
  void
  compare_with_one_rank(const dealii::DoFHandler<dim> &everywhere,
                        const dealii::Vector<double>  &state,
                        const double                   tolerance,
                        const Change                  &change,
                        const std::vector<Spread>     &spreads = all_spreads)
  {
    dealii::Vector<double> expected = state;
    change(everywhere, expected);
    for (const Spread spread : spreads)
      {
        SCOPED_TRACE(to_string(spread));
        const OnRanks<dim> ranks(everywhere, spread);
        auto               part = ranks.part_of(state);
        change(ranks.dof_handler, part);
        EXPECT_LT(relative_difference(ranks.whole(part), expected), tolerance);
      }
  }
} // namespace Saltus::Tests

#endif
