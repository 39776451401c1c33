// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What adaptions of a mesh take over, against deal.II's SolutionTransfer.
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/spaces/adaption_transfer.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/on_elements.h>
#include <limits>
#include <random>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using HostVector = LinearAlgebra::distributed::Vector<double>;

  class AdaptionTransferTest : public OnDevice
  {};

  /// A mesh of several levels with a solution on it, the same each time.
  template <int dim>
  struct Boxes
  {
    Boxes(const unsigned int degree, const unsigned int n_components)
      : triangulation(MPI_COMM_WORLD)
      , dof_handler(triangulation)
      , fe(FE_HypercubeDG<dim>(degree), n_components)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 3);
      triangulation.refine_global(1);
      flag();
      triangulation.execute_coarsening_and_refinement();
      dof_handler.distribute_dofs(fe);
      solution.reinit(dof_handler.n_dofs());
      for (double &entry : solution)
        entry = number() / 4e9;
      flag();
    }

    /// Some cells for refinement and some for coarsening.
    void
    flag()
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->level() < 3 && number() % 6 == 0)
          cell->set_refine_flag();
        else
          cell->set_coarsen_flag();
    }

    std::mt19937                              number;
    parallel::distributed::Triangulation<dim> triangulation;
    const MappingQ<dim>                       mapping{1};
    DoFHandler<dim>                           dof_handler;
    const FESystem<dim>                       fe;
    HostVector                                solution;
  };

  template <typename Number, int dim>
  void
  check(const Device device, const unsigned int degree, const unsigned int n_components)
  {
    Boxes<dim> of_dealii(degree, n_components), boxes(degree, n_components);

    parallel::distributed::SolutionTransfer<dim, HostVector> transfer(of_dealii.dof_handler);
    transfer.prepare_for_coarsening_and_refinement(of_dealii.solution);
    of_dealii.triangulation.execute_coarsening_and_refinement();
    of_dealii.dof_handler.distribute_dofs(of_dealii.fe);
    HostVector wanted(of_dealii.dof_handler.n_dofs());
    transfer.interpolate(wanted);

    const ElementMesh<dim> mesh(boxes.mapping, boxes.triangulation);
    const auto before   = on_elements<Number>(mesh, boxes.dof_handler, boxes.solution, device);
    const auto n_before = mesh.n_elements();
    // Twice, the second time with no flags.
    AdaptedCells<dim> cells{n_before,
                            {refine_and_note(boxes.triangulation, mesh.order.element_of_cell)}};
    const auto        numbers = numbers_in_order<dim>(cells.rounds[0]);
    cells.rounds.push_back(refine_and_note(boxes.triangulation, numbers));
    boxes.dof_handler.distribute_dofs(boxes.fe);
    ASSERT_EQ(boxes.dof_handler.n_dofs(), wanted.size());
    const ElementMesh<dim>      adapted(boxes.mapping, boxes.triangulation);
    Saltus::Vector<Number>      after(device, adapted.n_elements(), before.n_modes(), n_components);
    const AdaptionTransfer<dim> to_adapted(cells, adapted, device);
    to_adapted.run(after, before);
    HostVector found(wanted.size());
    DoFMap(adapted, boxes.dof_handler).copy_to(found, after);
    for (unsigned int i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found(i), wanted(i), 100 * std::numeric_limits<Number>::epsilon()) << i;

    Saltus::Vector<Number> other(device, adapted.n_elements(), 1, n_components);
    EXPECT_MESSAGE(to_adapted.run(other, before), "cannot be taken over to an adapted mesh");
  }

  TEST_P(AdaptionTransferTest, EqualsThatOfDealII)
  {
    check<double, 2>(device(), 3, 4);
    check<double, 2>(device(), 1, 1);
    check<double, 3>(device(), 2, 5);
    check<double, 3>(device(), 1, 3);
    check<float, 2>(device(), 2, 2);
  }

  SALTUS_INSTANTIATE_ON_DEVICES(AdaptionTransferTest)
} // namespace
