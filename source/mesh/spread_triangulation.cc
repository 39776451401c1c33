// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>

#include <saltus/base/ranks.h>
#include <saltus/mesh/spread_triangulation.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  spread_triangulation(const std::function<void(Triangulation<dim> &)> &make,
                       const MPI_Comm                                   communicator)
  {
    const unsigned int n_ranks = Saltus::n_ranks(communicator);
    if (n_ranks == 1)
      {
        auto result = std::make_unique<Triangulation<dim>>();
        make(*result);
        return result;
      }
    // Groups are ranks that follow each other: as many as every node has.
    const unsigned int ranks_of_a_node =
      Utilities::MPI::min(NodeRanks(communicator).n, communicator);
    const auto description =
      TriangulationDescription::Utilities::create_description_from_triangulation_in_groups<dim,
                                                                                           dim>(
        make,
        [&](Triangulation<dim> &whole, const MPI_Comm &, const unsigned int) {
          GridTools::partition_triangulation(n_ranks, whole);
        },
        communicator,
        ranks_of_a_node);
    auto result = std::make_unique<parallel::fullydistributed::Triangulation<dim>>(communicator);
    result->create_triangulation(description);
    return result;
  }

  template std::unique_ptr<Triangulation<2>>
  spread_triangulation(const std::function<void(Triangulation<2> &)> &, const MPI_Comm);
  template std::unique_ptr<Triangulation<3>>
  spread_triangulation(const std::function<void(Triangulation<3> &)> &, const MPI_Comm);
} // namespace Saltus
