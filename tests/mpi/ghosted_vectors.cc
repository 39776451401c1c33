// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Copies from and to deal.II's vectors with ghosts.
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_vector.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/spaces/dof_map.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <typename VectorType>
  class GhostedVectors : public testing::Test
  {
  protected:
    GhostedVectors()
      : triangulation(MPI_COMM_WORLD)
      , dof_handler(triangulation)
    {
      dealii::GridGenerator::hyper_cube(triangulation);
      triangulation.refine_global(3);
      dof_handler.distribute_dofs(FE_HypercubeDG<2>(1));
      mesh     = std::make_unique<const ElementMesh<2>>(MappingQ<2>(1),
                                                    triangulation,
                                                    std::vector<PeriodicBoundary>());
      owned    = dof_handler.locally_owned_dofs();
      relevant = DoFTools::extract_locally_relevant_dofs(dof_handler);
    }

    /// The numbers of the degrees of freedom.
    VectorType
    numbers() const
    {
      VectorType result(owned, MPI_COMM_WORLD);
      for (const auto i : owned)
        result(i) = i;
      result.compress(VectorOperation::insert);
      return result;
    }

    Saltus::Vector<double>
    on_elements() const
    {
      return {Device::cpu(), mesh->n_elements(), 4, 1};
    }

    parallel::distributed::Triangulation<2> triangulation;
    DoFHandler<2>                           dof_handler;
    std::unique_ptr<const ElementMesh<2>>   mesh;
    IndexSet                                owned, relevant;
  };

  using VectorTypes =
    testing::Types<LinearAlgebra::distributed::Vector<double>, TrilinosWrappers::MPI::Vector>;
} // namespace

TYPED_TEST_SUITE(GhostedVectors, VectorTypes);

TYPED_TEST(GhostedVectors, AreCopied)
{
  const DoFMap    map(*this->mesh, this->dof_handler);
  const TypeParam numbers = this->numbers();
  TypeParam       ghosted(this->owned, this->relevant, MPI_COMM_WORLD);
  ghosted = numbers;
  ghosted.update_ghost_values();
  auto expected = this->on_elements(), found = expected;
  map.copy_from(expected, numbers);
  map.copy_from(found, ghosted);
  EXPECT_EQ(found.to_host(), expected.to_host());

  found *= 2.;
  map.copy_to(ghosted, found);
  for (const auto i : this->relevant)
    EXPECT_EQ(ghosted(i), 2. * i);
}

TYPED_TEST(GhostedVectors, WithOtherEntriesAreRejected)
{
  const unsigned int n = Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD);
  // As many entries as this rank owns, but in the opposite order of ranks.
  const auto   sizes = Utilities::MPI::all_gather(MPI_COMM_WORLD, this->owned.n_elements());
  unsigned int begin = 0;
  for (unsigned int rank = Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) + 1; rank < n; ++rank)
    begin += sizes[rank];
  IndexSet others(this->owned.size());
  others.add_range(begin, begin + this->owned.n_elements());
  const TypeParam from(others, MPI_COMM_WORLD);
  const DoFMap    map(*this->mesh, this->dof_handler);
  auto            u = this->on_elements();
  if (others != this->owned) // as they are on the rank in the middle
    {
      EXPECT_MESSAGE(map.copy_from(u, from), "locally_owned_dofs()");
    }
}

TEST(VectorsOfDofs, AreOfThreeTypes)
{
  static_assert(is_vector_of_dofs<dealii::Vector<double>>);
  static_assert(is_vector_of_dofs<LinearAlgebra::distributed::Vector<double>>);
  static_assert(is_vector_of_dofs<TrilinosWrappers::MPI::Vector>);
  static_assert(!is_vector_of_dofs<LinearAlgebra::distributed::Vector<float>>);
}
