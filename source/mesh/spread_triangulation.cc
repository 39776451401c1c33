// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>

#include <saltus/base/ranks.h>
#include <saltus/mesh/spread_triangulation.h>

#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// So many ranks, neighbours in number, have a node in common.
    unsigned int
    ranks_of_a_node(const MPI_Comm communicator)
    {
      MPI_Comm node;
      int status = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
      AssertThrowMPI(status);
      const unsigned int n = n_ranks(node);
      status               = MPI_Comm_free(&node);
      AssertThrowMPI(status);
      return Utilities::MPI::min(n, communicator);
    }
  } // namespace

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
    const auto description =
      TriangulationDescription::Utilities::create_description_from_triangulation_in_groups<dim,
                                                                                           dim>(
        make,
        [&](Triangulation<dim> &whole, const MPI_Comm &, const unsigned int) {
          GridTools::partition_triangulation(n_ranks, whole);
        },
        communicator,
        ranks_of_a_node(communicator));
    auto result = std::make_unique<parallel::fullydistributed::Triangulation<dim>>(communicator);
    result->create_triangulation(description);
    return result;
  }

  template std::unique_ptr<Triangulation<2>>
  spread_triangulation(const std::function<void(Triangulation<2> &)> &, const MPI_Comm);
  template std::unique_ptr<Triangulation<3>>
  spread_triangulation(const std::function<void(Triangulation<3> &)> &, const MPI_Comm);
} // namespace Saltus
