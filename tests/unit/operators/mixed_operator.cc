// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The right-hand side on meshes that mix triangles and quadrilaterals against an assembly with
// deal.II, and its properties.
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <gtest/gtest.h>
#include <helpers/assembly.h>
#include <helpers/message_of.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <typename Law>
  void
  compare(const MixedSetting<Law> &setting, const Device device)
  {
    const auto conditions = all_conditions<2, Law>();
    const auto u          = setting.random_state(0.02);
    const auto expected =
      Assembly<2, Law>(setting.mapping, setting.dof_handler, setting.law).residual(u, conditions);
    EXPECT_LT(relative_difference(mixed_residual<Law, double>(setting, conditions, u, device),
                                  expected),
              1e-11);
    EXPECT_LT(relative_difference(mixed_residual<Law, float>(setting, conditions, u, device),
                                  expected),
              1e-3);
  }

  template <typename Law>
  void
  compare_on_boxes(const std::vector<unsigned int> &degrees,
                   const Device                     device,
                   const Law                       &law = Law())
  {
    for (const double distortion : {0., 0.2})
      {
        Triangulation<2> triangulation;
        make_mixed_box(triangulation, 5, distortion, far_corner<2>(0.25));
        const auto mapping = straight_mapping();
        for (const unsigned int degree : degrees)
          {
            SCOPED_TRACE("degree " + std::to_string(degree));
            compare(MixedSetting<Law>(triangulation, mapping, degree, law), device);
          }
      }
  }
} // namespace

using MixedLawTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(MixedLawTest)

TEST_P(MixedLawTest, Euler)
{
  compare_on_boxes<Euler<2>>({0, 1, 2, 3, 4, 5}, device());
  compare_on_boxes<Euler<2>>({2}, device(), euler<2>(RiemannSolver::lax_friedrichs));
}

TEST_P(MixedLawTest, Advection)
{
  compare_on_boxes<Advection<2>>({0, 1, 3}, device());
}

// Constant states stay, and between walls mass and energy do.
TEST_P(MixedLawTest, FreeStreamAndConservation)
{
  const Ring            ring;
  BoundaryConditions<2> far, walls;
  for (const unsigned int id : {0, 1})
    {
      far.set_far_field(id, constant_data<2, Euler<2>>());
      walls.set_wall(id);
    }
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      const MixedSetting<Euler<2>> setting(ring.triangulation, *ring.mapping, degree);
      EXPECT_LT((mixed_residual<Euler<2>, double>(setting, far, setting.random_state(0.), device())
                   .linfty_norm()),
                1e-11)
        << "degree " << degree;

      MixedConservationLawOperator<2, Euler<2>> op;
      op.reinit(*ring.mapping, setting.dof_handler, setting.law, walls, device());
      auto u = mixed_zeros(op), r = mixed_zeros(op);
      op.copy_from(u, setting.random_state(0.05));
      auto clock = op.make_clock();
      op.apply(clock, u, r);
      const auto change = op.integrals(r), norms = op.statistics(r).norms;
      for (const int c : {0, 3})
        EXPECT_NEAR(change[c], 0., 1e-13 * norms[c]) << "degree " << degree;
    }
}

// Mass and energy, with what has left, after steps with a limiter.
TEST_P(MixedLawTest, StepsConserve)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 6, 0.1);
  const auto                   mapping = straight_mapping();
  const MixedSetting<Euler<2>> setting(triangulation, mapping, 2);
  BoundaryConditions<2>        conditions;
  for (const unsigned int id : {0, 1, 2})
    conditions.set_wall(id);
  conditions.set_far_field(3, constant_data<2, Euler<2>>());
  using Operator = MixedConservationLawOperator<2, Euler<2>>;
  Operator op;
  op.reinit(mapping, setting.dof_handler, setting.law, conditions, device());
  TimeState start;
  start.cfl  = 0.5;
  start.end  = 0.05;
  auto clock = op.make_clock(start);
  auto u     = mixed_zeros(op);
  op.copy_from(u, setting.random_state(0.02));
  const auto               before = op.integrals(u);
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"), Limiter::positivity);
  integrator.advance(u);
  EXPECT_DOUBLE_EQ(clock.state().time, 0.05);
  const auto after = op.integrals(u), left = clock.outflow();
  for (const int c : {0, 3})
    {
      EXPECT_NEAR(after[c] + left[c], before[c], 1e-13 * before[c]);
      EXPECT_GT(std::abs(left[c]), 1e-6);
    }
}

// The time step is the shortest that a shape asks for.
TEST_P(MixedLawTest, ShortestStep)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 4, 0.2);
  const auto                                mapping = straight_mapping();
  const MixedSetting<Euler<2>>              setting(triangulation, mapping, 1);
  MixedConservationLawOperator<2, Euler<2>> op;
  op.reinit(mapping, setting.dof_handler, setting.law, all_conditions<2, Euler<2>>(), device());
  TimeState start;
  start.cfl = 1.;
  auto u    = mixed_zeros(op);
  op.copy_from(u, setting.random_state(0.));
  auto clock = op.make_clock(start);
  op.begin_step(clock, u);
  double shortest = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i < 2; ++i)
    {
      TimeClock of_part = op.part(i).make_clock(start);
      op.part(i).begin_step(of_part, u.block(i));
      EXPECT_GT(of_part.state().dt, 0.);
      shortest = std::min(shortest, of_part.state().dt);
    }
  EXPECT_DOUBLE_EQ(clock.state().dt, shortest);
}

TEST(MixedLawOnCpu, MessagesNameWhatIsMissing)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 3, 0.);
  const auto                                mapping = straight_mapping();
  const MixedSetting<Euler<2>>              setting(triangulation, mapping, 2);
  MixedConservationLawOperator<2, Euler<2>> op;
  const auto                                message = [&](const auto &data) {
    return message_of([&]() {
      op.reinit(mapping,
                setting.dof_handler,
                setting.law,
                all_conditions<2, Euler<2>>(),
                Device::cpu(),
                data);
    });
  };
  auto data                = decltype(op)::AdditionalData();
  data.quadrature_increase = 1;
  EXPECT_NE(message(data).find("leave Quadrature increase at 0"), std::string::npos);

  // Of the ring only the quadrilaterals are curved.
  const Ring                   ring;
  const MappingByShape<2>      half(MappingFE<2>(FE_SimplexP<2>(1)), MappingQ<2>(2));
  const MixedSetting<Euler<2>> on_ring(ring.triangulation, half, 2);
  BoundaryConditions<2>        walls;
  walls.set_wall(0);
  walls.set_wall(1);
  EXPECT_MESSAGE(op.reinit(half, on_ring.dof_handler, on_ring.law, walls, Device::cpu()),
                 "do not agree on the face with centre");
}
