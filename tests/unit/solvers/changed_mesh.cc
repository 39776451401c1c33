// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What has worked on one mesh works on the refined one as if it were new, and keeps nothing of the
// first.
#include <deal.II/fe/fe_system.h>

#include <saltus/physics/advection.h>
#include <saltus/solvers/flow/incompressible_flow.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>
#include <saltus/solvers/time/time_integrator.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/flow_setting.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class ChangedMeshTest : public OnDevice
  {};

  /// Refine a mesh and distribute the degrees of freedom again.
  void
  refine(Triangulation<2> &triangulation, const std::vector<DoFHandler<2> *> &dof_handlers)
  {
    triangulation.refine_global(1);
    for (DoFHandler<2> *const dof_handler : dof_handlers)
      dof_handler->distribute_dofs(*dof_handler->get_fe().clone());
  }

  /// A mesh that somebody may hold.
  std::weak_ptr<const ElementMesh<2>>
  mesh_of(const ElementSpace<2, double> &space)
  {
    return space.mesh;
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(ChangedMeshTest)

TEST_P(ChangedMeshTest, ConservationLawAndTimeIntegrator)
{
  using Operator = ConservationLawOperator<2, Advection<2>>;
  Setting<2, Advection<2>> setting(2);
  BoundaryConditions<2>    conditions;
  conditions.set_prescribed(0, Expression(2, "1+sin(10*(y-t))", 1));
  for (const unsigned int id : {1, 2, 3})
    conditions.set_outflow(id);
  Operator::AdditionalData data;
  data.fields       = FieldFunction<2>(Expression(2, "1; 0.1*cos(t)", 2));
  const auto reinit = [&](Operator &op) {
    op.reinit(setting.mesh(), setting.dof_handler, setting.law, conditions, device(), data);
  };
  const auto advance =
    [](const Operator &op, const TimeClock &clock, TimeIntegrator<Operator> &integrator) {
      Saltus::Vector<double> u;
      op.initialize_vector(u);
      op.project(FieldFunction<2>(Expression(2, "cos(3*x+y)", 1)), u, clock.state().time);
      integrator.advance(u, 7);
      return u.to_host();
    };
  TimeState start;
  start.cfl = 0.5;
  Operator op;
  reinit(op);
  TimeClock                clock = op.make_clock(start);
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
  advance(op, clock, integrator);

  const auto old = mesh_of(op.element_space());
  refine(setting.triangulation, {&setting.dof_handler});
  const TimeState half_way = clock.state();
  EXPECT_EQ(half_way.n_steps, 7);
  reinit(op);
  clock = op.make_clock(half_way);
  EXPECT_TRUE(old.expired());
  const auto result = advance(op, clock, integrator);

  Operator fresh;
  reinit(fresh);
  TimeClock                fresh_clock = fresh.make_clock(half_way);
  TimeIntegrator<Operator> fresh_integrator(fresh, fresh_clock, RungeKutta("LSRK45"));
  EXPECT_EQ(result, advance(fresh, fresh_clock, fresh_integrator));
  EXPECT_EQ(clock.state().n_steps, 14);
  EXPECT_EQ(clock.state().time, fresh_clock.state().time);
  EXPECT_EQ(clock.outflow(), fresh_clock.outflow());
}

/// With boundary data, and with constants in the kernel: both are set up when they are asked for.
TEST_P(ChangedMeshTest, LaplaceAndMultigrid)
{
  using Multigrid = PMultigrid<LaplaceOperator<2, float>>;
  EllipticBoundaryConditions<2> given;
  for (unsigned int id = 0; id < 4; ++id)
    given.set_dirichlet(id, Expression(2, "sin(x+2*y)", 1));
  for (const auto &conditions : {given, neumann_conditions<2>()})
    {
      EllipticSetting<2> setting(3);
      const auto         solution = [&](LaplaceOperator<2> &A, Multigrid &multigrid) {
        A.reinit(setting.mesh(), setting.dof_handler, conditions, device(), {});
        multigrid.initialize(A, {});
        Saltus::Vector<double> b, x;
        A.initialize_vector(b);
        A.initialize_vector(x);
        A.right_hand_side(b, FieldFunction<2>(Expression(2, "x*y-0.25", 1)));
        if (A.is_singular())
          A.remove_null_space(b);
        solve_cg(A, x, b, multigrid, {1e-8, 100});
        A.set_mean_value(x, 1.);
        return x.to_host();
      };
      LaplaceOperator<2> A, fresh;
      Multigrid          multigrid, fresh_multigrid;
      solution(A, multigrid);
      const auto old = mesh_of(A.element_space());
      refine(setting.triangulation, {&setting.dof_handler});
      const auto result = solution(A, multigrid);
      EXPECT_TRUE(old.expired());
      EXPECT_EQ(result, solution(fresh, fresh_multigrid));
    }
}

/// Also with other settings than before, which need other parts.
TEST_P(ChangedMeshTest, IncompressibleFlow)
{
  using Flow = IncompressibleFlow<2>;
  FlowBoundaryConditions<2> conditions;
  conditions.set_velocity(0, Expression(2, "1+0.1*sin(3*y+t); 0.1*t", 2));
  conditions.set_outflow(1);
  conditions.set_slip(2);
  conditions.set_no_slip(3);
  Flow::AdditionalData all, least;
  all.viscosity                 = 0.01;
  all.body_force                = Expression(2, "y; sin(t)", 2);
  all.n_subcycles               = 2;
  all.velocity_preconditioner   = VelocityPreconditioning::p_multigrid;
  least.viscosity               = 0.01;
  least.divergence_penalty      = 0.;
  least.continuity_penalty      = 0.;
  const auto expect_as_if_fresh = [&](const Flow::AdditionalData &before,
                                      const Flow::AdditionalData &data) {
    FlowSetting<2> setting(2);
    const auto     run = [&](Flow &flow, const Flow::AdditionalData &data) {
      flow.reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
      flow.set_state(0.5, Expression(2, "1+0.1*sin(3*y); 0", 2), {});
      for (unsigned int i = 0; i < 3; ++i)
        flow.step(0.01);
      auto memory = flow.memory();
      return std::make_pair(memory.pressure_solutions.size(),
                            std::make_pair(flow.velocity().to_host(), flow.pressure().to_host()));
    };
    Flow flow, fresh;
    run(flow, before);
    const auto old = mesh_of(flow.operators().velocity_space());
    refine(setting.triangulation, {&setting.velocity, &setting.pressure});
    const auto result = run(flow, data);
    EXPECT_TRUE(old.expired());
    EXPECT_EQ(result, run(fresh, data));
  };
  expect_as_if_fresh(all, all);
  expect_as_if_fresh(all, least);
  expect_as_if_fresh(least, all);
}
