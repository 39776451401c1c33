// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Degrees of freedom that operators cannot take over: a message, before memory is overwritten.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/hp/fe_collection.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/physics/advection.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// The message of an elliptic operator and of a conservation law, which must be the same.
  std::string
  answer(const DoFHandler<2> &dof_handler, const Mapping<2> &mapping = MappingQ<2>(1))
  {
    const std::string of_laplace   = message_of([&]() {
      EllipticBoundaryConditions<2> conditions;
      conditions.set_dirichlet(0);
      LaplaceOperator<2>().reinit(mapping, dof_handler, conditions, Device::cpu());
    });
    const std::string of_advection = message_of([&]() {
      BoundaryConditions<2> conditions;
      conditions.set_outflow(0);
      using Operator = ConservationLawOperator<2, Advection<2>>;
      Operator::AdditionalData data;
      data.fields = Expression(2, "1; 1", 2);
      Operator().reinit(mapping, dof_handler, {}, conditions, Device::cpu(), data);
    });
    EXPECT_EQ(of_laplace, of_advection);
    return of_laplace;
  }

  class UserDoFHandlers : public testing::Test
  {
  protected:
    UserDoFHandlers()
      : dof_handler(triangulation)
    {
      dealii::GridGenerator::subdivided_hyper_cube(triangulation, 4);
    }

    Triangulation<2> triangulation;
    DoFHandler<2>    dof_handler;
  };
} // namespace

TEST_F(UserDoFHandlers, OfOneDegreeAreTaken)
{
  dof_handler.distribute_dofs(FE_HypercubeDG<2>(2));
  EXPECT_EQ(answer(dof_handler), "");
  dof_handler.distribute_dofs(hp::FECollection<2>(FE_HypercubeDG<2>(2)));
  EXPECT_EQ(answer(dof_handler), "");
}

TEST_F(UserDoFHandlers, WithoutABoundaryId)
{
  dof_handler.distribute_dofs(FE_HypercubeDG<2>(1));
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  conditions.set_neumann(123);
  testing::internal::CaptureStderr();
  LaplaceOperator<2>().reinit(MappingQ<2>(1), dof_handler, conditions, Device::cpu());
  EXPECT_TRUE(contains(testing::internal::GetCapturedStderr(), "Boundary id 123 has a boundary"));
}

TEST_F(UserDoFHandlers, OfTwoDegrees)
{
  for (const auto &cell : dof_handler.active_cell_iterators())
    cell->set_active_fe_index(cell->center()[0] > 0.5);
  dof_handler.distribute_dofs(hp::FECollection<2>(FE_HypercubeDG<2>(1), FE_HypercubeDG<2>(2)));
  EXPECT_TRUE(contains(answer(dof_handler), "FE_HypercubeDG<2>(1) and FE_HypercubeDG<2>(2)"));
}

TEST_F(UserDoFHandlers, OfTwoDegreesOnTwoShapes)
{
  dof_handler.distribute_dofs(hp::FECollection<2>(FE_HypercubeDG<2>(1), FE_SimplexDGModal<2>(2)));
  EXPECT_TRUE(contains(answer(dof_handler), "need one degree and different shapes"));
}

TEST_F(UserDoFHandlers, OfCellsBeforeRefinement)
{
  dof_handler.distribute_dofs(FE_HypercubeDG<2>(2));
  triangulation.refine_global(1);
  EXPECT_TRUE(contains(answer(dof_handler), "distribute_dofs() after each change"));
}

TEST_F(UserDoFHandlers, WithTheMappingOfAnotherShape)
{
  Triangulation<2> triangles;
  dealii::GridGenerator::convert_hypercube_to_simplex_mesh(triangulation, triangles);
  DoFHandler<2> on_triangles(triangles);
  on_triangles.distribute_dofs(FE_SimplexDGModal<2>(2));
  const MappingFE<2> of_triangles(FE_SimplexP<2>(1));
  EXPECT_EQ(answer(on_triangles, of_triangles), "");
  EXPECT_TRUE(contains(answer(on_triangles), "cells of the shape Tri,"));
  EXPECT_MESSAGE(make_mixed_mesh(MappingQ<2>(1), triangles), "cells of the shape Tri,");

  dof_handler.distribute_dofs(FE_HypercubeDG<2>(2));
  EXPECT_TRUE(contains(answer(dof_handler, of_triangles), "cells of the shape Quad,"));
}

TEST_F(UserDoFHandlers, WithoutDegreesOfFreedom)
{
  EXPECT_TRUE(contains(answer(dof_handler), "has no degrees of freedom"));
  EXPECT_TRUE(contains(answer(DoFHandler<2>()), "has no degrees of freedom"));
}
