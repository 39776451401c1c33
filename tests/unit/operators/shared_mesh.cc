// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Several operators on one element mesh: one order, one connectivity, one copy on the device.
#include <deal.II/grid/grid_tools.h>

#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <functional>
#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <typename Vector>
  void
  expect_equal(const Vector &a, const Vector &b)
  {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.max_difference(b), 0.);
  }

  class SharedMeshTest : public OnDevice
  {};
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SharedMeshTest)

/// A velocity, a pressure and a level of a multigrid on one mesh.
TEST_P(SharedMeshTest, OperatorsShareOrderAndArrays)
{
  const Setting<2, Euler<2>> setting(2);
  const auto                 mesh = make_mesh(setting.mapping, setting.triangulation);

  ConservationLawOperator<2, Euler<2>> flow;
  flow.reinit(mesh, setting.dof_handler, setting.law, all_conditions<2, Euler<2>>(), device(), {});
  LaplaceOperator<2> pressure, level;
  pressure.reinit(mesh, 3, all_elliptic_conditions<2>(), device(), {});
  level.reinit(pressure, 1);

  EXPECT_EQ(flow.element_space().mesh, mesh);
  EXPECT_EQ(&pressure.element_space().order, &mesh->order);
  EXPECT_EQ(&level.element_space().connectivity, &mesh->connectivity);
  const auto arrays = flow.element_space().mesh_arrays();
  for (const auto &other :
       {pressure.element_space().mesh_arrays(), level.element_space().mesh_arrays()})
    {
      EXPECT_EQ(arrays.faces, other.faces);
      EXPECT_EQ(arrays.inverse_jacobians, other.inverse_jacobians);
    }
  // Another precision has its own copy, which lives as long as somebody holds it.
  LaplaceOperator<2, float> single;
  single.reinit(pressure, 2);
  const auto copy = mesh->on_device<float>(device());
  EXPECT_EQ(copy.use_count(), 2);
  EXPECT_EQ(single.element_space().mesh_arrays().faces, copy->arrays().faces);
}

/// One space for all of one degree; with a DoFHandler the same tables. They are counted once.
TEST_P(SharedMeshTest, OperatorsShareSpaces)
{
  using Space = ElementSpace<2, double>;
  const EllipticSetting<2> setting(3);
  const auto               mesh = setting.mesh();
  LaplaceOperator<2>       A, B, numbered, level;
  A.reinit(mesh, 3, all_elliptic_conditions<2>(), device(), {});
  B.reinit(mesh, 3, dirichlet_conditions<2>(), device(), {});
  numbered.reinit(mesh, setting.dof_handler, dirichlet_conditions<2>(), device(), {});
  level.reinit(A, 1);
  const Space &space = A.element_space(), &other = numbered.element_space();
  EXPECT_EQ(&space, &B.element_space());
  EXPECT_NE(&space, &other);
  EXPECT_EQ(&space.reference, &other.reference);
  EXPECT_EQ(space.element_tables().volume_values, other.element_tables().volume_values);
  EXPECT_NE(space.element_tables().volume_values,
            level.element_space().element_tables().volume_values);
  EXPECT_EQ(Space::table_memory({&space, &other}), space.table_memory());
  EXPECT_EQ(Space::table_memory({&space, &level.element_space()}),
            space.table_memory() + level.element_space().table_memory());
}

/// The geometry at points is that of a quadrature, whatever the degree.
TEST_P(SharedMeshTest, SpacesShareStoredGeometry)
{
  using Space = ElementSpace<2, double>;
  const Box<2> box(4);
  const auto   mesh = box.mesh({}, max_matching_rounds, some_are_stored<2>);
  const auto   low  = Space::shared(mesh, 1, 2, 4, 5, device()),
             high   = Space::shared(mesh, 2, 1, 4, 5, device()),
             other  = Space::shared(mesh, 2, 1, 5, 5, device());
  ASSERT_NE(low->stored_arrays().metrics, nullptr);
  EXPECT_EQ(low->stored_arrays().metrics, high->stored_arrays().metrics);
  EXPECT_EQ(low->stored_arrays().normals, high->stored_arrays().normals);
  EXPECT_NE(low->stored_arrays().metrics, other->stored_arrays().metrics);
  EXPECT_NE(low->element_tables().volume_values, high->element_tables().volume_values);
}

TEST_P(SharedMeshTest, ExchangesAreShared)
{
  const Box<2> box(2);
  const auto   mesh = box.mesh();
  const auto   get  = [&](const unsigned int degree, const GhostData data) {
    return GhostExchange<double>::shared(*mesh, degree, 1, device(), data);
  };
  const auto values = get(2, GhostData::values);
  EXPECT_EQ(values, get(2, GhostData::values));
  EXPECT_NE(values, get(2, GhostData::mean));
  EXPECT_NE(values, get(3, GhostData::values));
}

TEST_P(SharedMeshTest, ConservationLawAsBefore)
{
  const Setting<3, Advection<3>> setting(2);
  const auto                     conditions = all_conditions<3, Advection<3>>();
  typename ConservationLawOperator<3, Advection<3>>::AdditionalData data;
  data.fields = fields<3, Advection<3>>();
  ConservationLawOperator<3, Advection<3>> alone, shared, by_degree;
  alone.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device(), data);
  const auto mesh = make_mesh(setting.mapping, setting.triangulation);
  shared.reinit(mesh, setting.dof_handler, setting.law, conditions, device(), data);
  by_degree.reinit(mesh, 2, setting.law, conditions, device(), data);

  auto u = copied(shared, setting.random_state(0.1)), expected = zeros(alone), r = zeros(shared);
  TimeClock clock = alone.make_clock();
  alone.apply(clock, u, expected);
  shared.apply(clock, u, r);
  expect_equal(r, expected);
  by_degree.apply(clock, u, r);
  expect_equal(r, expected);
  dealii::Vector<double> in_deal_ii;
  EXPECT_THROW(by_degree.copy_to(in_deal_ii, r), ExceptionBase);
}

TEST_P(SharedMeshTest, LaplaceAsBefore)
{
  const EllipticSetting<2> setting(3);
  for (const bool periodic : {false, true})
    {
      const auto conditions = all_elliptic_conditions<2>(periodic);
      const auto mesh = make_mesh(setting.mapping, setting.triangulation, conditions.periodic());
      LaplaceOperator<2> alone, shared;
      alone.reinit(setting.mapping, setting.dof_handler, conditions, device());
      shared.reinit(mesh, setting.dof_handler, conditions, device(), {});
      auto x = copied(shared, setting.random_vector(1)), expected = zeros(alone), y = zeros(shared);
      alone.vmult(expected, x);
      shared.vmult(y, x);
      expect_equal(y, expected);
    }
}

TEST_P(SharedMeshTest, WhatDoesNotBelongToTheMeshIsRefused)
{
  EllipticSetting<2>       setting(2);
  const EllipticSetting<2> other(2);
  const auto               conditions = all_elliptic_conditions<2>();
  const auto               periodic   = all_elliptic_conditions<2>(true);
  const auto               mesh       = make_mesh(setting.mapping, setting.triangulation);
  const auto periodic_mesh = make_mesh(setting.mapping, setting.triangulation, periodic.periodic());
  LaplaceOperator<2> A;
  EXPECT_NO_THROW(A.reinit(mesh, setting.dof_handler, conditions, device(), {}));
  EXPECT_NO_THROW(A.reinit(periodic_mesh, setting.dof_handler, periodic, device(), {}));
  EXPECT_THROW(A.reinit(mesh, other.dof_handler, conditions, device(), {}), ExceptionBase);
  EXPECT_THROW(A.reinit(mesh, setting.dof_handler, periodic, device(), {}), ExceptionBase);
  EXPECT_THROW(A.reinit(periodic_mesh, setting.dof_handler, conditions, device(), {}),
               ExceptionBase);
  setting.triangulation.refine_global(1);
  setting.dof_handler.distribute_dofs(FE_SimplexDGModal<2>(2));
  EXPECT_THROW(A.reinit(mesh, setting.dof_handler, conditions, device(), {}), ExceptionBase);
}

/// What is set up goes on, but nothing is set up any more, whether or not it reads the
/// triangulation.
TEST_P(SharedMeshTest, TriangulationThatChanged)
{
  using Setting         = EllipticSetting<2>;
  const auto conditions = all_elliptic_conditions<2>();
  const std::vector<std::function<void(std::unique_ptr<Setting> &)>> changes = {
    [](auto &setting) { setting->triangulation.refine_global(1); },
    [](auto &setting) {
      GridTools::shift(Tensor<1, 2>({1., 0.}), setting->triangulation);
    },
    [](auto &setting) { setting.reset(); }};
  for (const auto &change : changes)
    {
      auto               setting = std::make_unique<Setting>(2);
      const auto         mesh    = make_mesh(setting->mapping, setting->triangulation);
      LaplaceOperator<2> A, other;
      PMultigrid<LaplaceOperator<2, float>> multigrid;
      TrilinosWrappers::SparseMatrix        matrix;
      A.reinit(mesh, 2, conditions, device(), {});
      change(setting);
      auto x = zeros(A), y = x;
      A.vmult(y, x);
      for (const std::string &message :
           {message_of([&]() { other.reinit(mesh, 2, conditions, device(), {}); }),
            message_of([&]() { multigrid.initialize(A, {}); }),
            message_of([&]() { assemble(A, matrix); })})
        EXPECT_TRUE(contains(message,
                             "has been refined, moved or destroyed since the mesh was made. Make "
                             "the mesh anew"))
          << message;
    }
}
