// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What the solver of incompressible flow does in a step, as its options ask for. (Its errors are
// in tests/convergence/incompressible_flow.cc.)
#include <saltus/solvers/flow/incompressible_flow.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <iomanip>
#include <sstream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Taylor's vortices in the unit square, with the velocity given on all sides.
  class FlowSolverTest : public OnDevice
  {
  protected:
    using Flow = IncompressibleFlow<2>;

    static FieldFunction<2>
    vortices()
    {
      return Expression(2, "-sin(2*pi*y)*exp(-0.04*pi^2*t); sin(2*pi*x)*exp(-0.04*pi^2*t)", 2);
    }

    static FlowBoundaryConditions<2>
    vortex_conditions()
    {
      FlowBoundaryConditions<2> conditions;
      for (unsigned int id = 0; id < 4; ++id)
        conditions.set_velocity(id, vortices());
      return conditions;
    }

    static Flow::AdditionalData
    vortex_data()
    {
      Flow::AdditionalData data;
      data.viscosity                      = 0.01;
      data.stabilization_solver.tolerance = 1e-11;
      return data;
    }

    /// A flow at time 0.
    std::unique_ptr<Flow>
    make(const FlowSetting<2>            &setting,
         const Flow::AdditionalData      &data,
         const FlowBoundaryConditions<2> &conditions = vortex_conditions()) const
    {
      auto flow = std::make_unique<Flow>();
      flow->reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
      flow->set_state(0.,
                      vortices(),
                      Expression(2, "-cos(2*pi*x)*cos(2*pi*y)*exp(-0.08*pi^2*t)", 1));
      return flow;
    }

    /// After the projection of a velocity that is far from divergence-free. Twice is once.
    template <int dim>
    void
    expect_no_divergence(const unsigned int                 degree,
                         const FlowBoundaryConditions<dim> &conditions) const
    {
      SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
      const FlowSetting<dim>  setting(degree);
      IncompressibleFlow<dim> flow;
      flow.reinit(setting.mesh(conditions.periodic()),
                  setting.velocity,
                  setting.pressure,
                  conditions,
                  device(),
                  {});
      flow.set_state(0.5,
                     Expression(dim,
                                dim == 2 ? "x*x-sin(3*y); exp(x+y)"
                                         : "x*x-sin(3*y); exp(x+y); x+cos(z-y)",
                                dim),
                     {});
      const auto divergence = [&]() {
        auto result = flow.operators().pressure_space().make_vector();
        flow.operators().divergence(result, flow.velocity(), 0.5);
        return result.l2_norm();
      };
      const double       before = divergence();
      const unsigned int n      = flow.project_to_divergence_free({1e-9, 500}).iterations;
      EXPECT_GT(n, 0u);
      EXPECT_LT(divergence(), 1e-6 * before);
      EXPECT_EQ(flow.time(), 0.5);
      EXPECT_EQ(flow.project_to_divergence_free({1e-7, 500}).iterations, 0u);
    }

    /// A disturbed stream through a periodic box, with hardly any friction.
    template <int dim>
    void
    expect_stable_stream(const unsigned int degree, const double cfl) const
    {
      SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
      const FlowHypercubes<dim> setting(degree, Cells::parallelepipeds);
      const auto                conditions = periodic_conditions<FlowBoundaryConditions, dim>();
      typename IncompressibleFlow<dim>::AdditionalData data;
      data.viscosity = 1e-6;
      IncompressibleFlow<dim> flow;
      flow.reinit(setting.mesh(conditions.periodic()),
                  setting.velocity,
                  setting.pressure,
                  conditions,
                  device(),
                  data);
      const std::string z = dim == 3 ? "; 1e-3*sin(9*x)" : "";
      flow.set_state(0., Expression(dim, "1+1e-3*sin(8*y); 0.5+1e-3*cos(7*x)" + z, dim), {});
      const auto initial = flow.velocity();
      for (unsigned int step = 0; step < 60; ++step)
        flow.step(cfl / flow.convection_rate());
      EXPECT_LT(flow.velocity().max_difference(initial), 1e-2 * initial.linfty_norm());
    }

    static double
    distance(const Flow &a, const Flow &b)
    {
      return a.velocity().max_difference(b.velocity()) / b.velocity().linfty_norm();
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(FlowSolverTest)

TEST(IncompressibleFlow, CallsBeforeReinit)
{
  EXPECT_MESSAGE(IncompressibleFlow<2>().memory(), "is not set up: call reinit() first.");
  std::ostringstream                          stream;
  const PMultigrid<LaplaceOperator<2, float>> multigrid;
  for (const auto &call : {std::function<void()>([&]() { multigrid.print(stream); }),
                           std::function<void()>([&]() { multigrid.memory_per_element(); }),
                           std::function<void()>([&]() { multigrid.time_parts(); })})
    EXPECT_TRUE(contains(message_of(call), "p-multigrid is not set up: call initialize() first."));
}

/// Out of the unit square, where the divergence of what is given is 1.
TEST_P(FlowSolverTest, NetFluxOfGivenVelocities)
{
  const FlowSetting<2>      setting(2);
  FlowBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_velocity(id, FieldFunction<2>(Expression(2, "x*x; -x*y", 2)));
  Flow flow;
  flow.reinit(
    setting.mesh({}), setting.velocity, setting.pressure, conditions, device(), vortex_data());
  flow.set_state(0., FieldFunction<2>(Expression(2, "x*x; -x*y", 2)), {});
  EXPECT_NEAR(flow.step(0.01).net_flux, 0.5, 1e-12);

  const auto closed = make(setting, vortex_data());
  EXPECT_LT(closed->step(0.01).net_flux, 1e-6);
}

/// Steps with the CFL number that the guide calls safe.
TEST_P(FlowSolverTest, StableStepsOnHypercubes)
{
  expect_stable_stream<2>(5, 0.3);
  expect_stable_stream<3>(2, 0.3);
}

/// The pressure of a fluid at rest balances a force that is a gradient, from the first step on.
TEST_P(FlowSolverTest, RestUnderAGradient)
{
  const FlowSetting<2>      setting(4);
  FlowBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_no_slip(id);
  auto data       = vortex_data();
  data.body_force = Expression(2, "0; 1e6*(1-y+3*y^2)", 2);
  Flow flow;
  flow.reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
  flow.set_state(0., FieldFunction<2>(), FieldFunction<2>());
  for (unsigned int step = 0; step < 3; ++step)
    flow.step(0.01);
  EXPECT_LT(flow.velocity().linfty_norm(), 1e-3);
}

/// The splitting leaves a residual of second order without penalties.
TEST_P(FlowSolverTest, MomentumResidual)
{
  const FlowSetting<2>      setting(3);
  FlowBoundaryConditions<2> conditions;
  conditions.set_velocity(0, FieldFunction<2>(Expression(2, "y*(1-y)*(1+t); 0", 2)));
  conditions.set_outflow(1);
  conditions.set_slip(2);
  conditions.set_no_slip(3);
  auto data               = vortex_data();
  data.body_force         = Expression(2, "x*cos(3*t); 0", 2);
  data.divergence_penalty = data.continuity_penalty = 0.;
  data.velocity_solver.tolerance = data.pressure_solver.tolerance = 1e-11;
  const auto residual                                             = [&](const unsigned int n) {
    Flow flow;
    flow.reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
    flow.set_state(0., Expression(2, "y*(1-y); 0", 2), {});
    FlowStepReport report;
    for (unsigned int step = 0; step < n; ++step)
      report = flow.step(0.16 / n);
    EXPECT_GT(report.momentum_rate.norm(), 0.01);
    return flow.momentum_residual(report.momentum_rate).norm();
  };
  const double coarse = residual(16), fine = residual(32);
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(fine, 0.35 * coarse);
}

/// Without a force or boundary data.
TEST_P(FlowSolverTest, GrowingEnergy)
{
  const FlowSetting<2>      setting(3);
  FlowBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_slip(id);
  auto data      = vortex_data();
  data.viscosity = 1e-5;
  const auto run = [&](const double cfl) {
    Flow flow;
    flow.reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
    flow.set_state(0., Expression(2, "sin(pi*x)*cos(pi*y); -cos(pi*x)*sin(pi*y)", 2), {});
    for (unsigned int step = 0; step < 50; ++step)
      flow.step(cfl / flow.convection_rate());
  };
  EXPECT_NO_THROW(run(0.1));
  const std::string message = message_of([&]() { run(2.); });
  EXPECT_TRUE(contains(message, "kinetic energy grows by")) << message;
  EXPECT_TRUE(contains(message, "shorter steps")) << message;
}

TEST_P(FlowSolverTest, SubcyclesByTheirCflNumber)
{
  const FlowSetting<2> setting(3);
  auto                 data = vortex_data();
  constexpr double     dt   = 0.02;
  const double         rate =
    make(setting, data)->operators().convection_rate(make(setting, data)->velocity());
  data.subcycle_cfl    = rate * dt / 2.5;
  const auto automatic = make(setting, data);
  data.subcycle_cfl    = 0.;
  data.n_subcycles     = 3;
  const auto fixed     = make(setting, data);
  for (unsigned int step = 0; step < 3; ++step)
    {
      const auto report = automatic->step(dt), expected = fixed->step(dt);
      EXPECT_EQ(report.n_subcycles, 3u);
      EXPECT_EQ(expected.n_subcycles, 3u);
      EXPECT_NEAR(report.cfl, expected.cfl, 1e-9);
    }
  EXPECT_LT(distance(*automatic, *fixed), 1e-9);
  EXPECT_EQ(automatic->step(dt / 10.).n_subcycles, 1u);
  EXPECT_EQ(automatic->step(2. * dt).n_subcycles, 5u);
}

/// Each time step of the history is passed in as many subcycles as it needs itself, whatever the
/// others need.
TEST_P(FlowSolverTest, SubcyclesOfUnequalSteps)
{
  const FlowSetting<2>      setting(4);
  const std::vector<double> steps = {0.08, 0.01, 0.02, 0.04, 0.08, 0.01, 0.02};
  const auto                run   = [&](const Flow::AdditionalData &data) {
    auto flow = make(setting, data);
    for (const double dt : steps)
      flow->step(dt);
    return flow;
  };
  auto data         = vortex_data();
  data.subcycle_cfl = 1.;
  const auto coarse = run(data);
  data.subcycle_cfl = 0.;
  data.n_subcycles  = 16;
  EXPECT_LT(distance(*coarse, *run(data)), 1e-5);
}

TEST_P(FlowSolverTest, TooManySubcycles)
{
  const FlowSetting<2> setting(2);
  auto                 data = vortex_data();
  data.subcycle_cfl         = 1e-4;
  const auto flow           = make(setting, data);
  const auto message        = message_of([&]() { flow->step(0.1); });
  EXPECT_TRUE(contains(message, "more than 1000 subcycles"));
  data.subcycle_cfl = -1.;
  EXPECT_MESSAGE(make(setting, data), "must not be negative");
}

/// However short the step is: the velocity before it is carried through the long one before, too.
TEST_P(FlowSolverTest, TooManySubcyclesOfAnEarlierStep)
{
  const FlowSetting<2> setting(2);
  Flow::AdditionalData data = vortex_data();
  data.subcycle_cfl         = 0.02;
  const double tiny         = 1e-16; // but more than a rounding error of the time
  for (const unsigned int order : {2, 3})
    for (const std::string speed : {"1e4", "1e14"}) // and more than an unsigned int counts
      {
        data.order      = order;
        const auto flow = make(setting, data);
        flow->set_state(0.25, Expression(2, speed + "; 0", 2), {});
        if (order == 3) // not only of the last step
          flow->set_state(0.25 + tiny, Expression(2, "1; 0", 2), {});
        const std::string message = message_of([&]() { flow->step(tiny); });
        EXPECT_TRUE(contains(message, "The step of length 0.25 at time 0 has the CFL number"));
        EXPECT_TRUE(contains(message, "more than 1000 subcycles"));
        EXPECT_TRUE(contains(message, "take shorter steps, from the beginning"));
      }
}

/// What is found in a flow whose velocity may grow.
TEST_P(FlowSolverTest, Advice)
{
  const FlowSetting<2> setting(3);
  auto                 data = vortex_data();
  data.divergence_penalty = data.continuity_penalty = 0.;
  data.operators.backflow_stabilization             = 0.;
  data.pressure_order                               = 2;
  FlowBoundaryConditions<2> with_outflow;
  for (const unsigned int id : {0, 2, 3})
    with_outflow.set_slip(id);
  with_outflow.set_outflow(1);
  const auto        flow     = make(setting, data, with_outflow);
  const std::string vortices = flow->advice();
  EXPECT_TRUE(contains(vortices, " 50 % of all that passes comes in: a backflow"));
  EXPECT_TRUE(contains(vortices, "unstable where friction is weak: take 1"));
  EXPECT_FALSE(contains(vortices, "divergence"));
  // Its divergence and its vorticity are 2.
  flow->set_state(0., Expression(2, "x-y; y+x", 2), {});
  EXPECT_TRUE(contains(flow->advice(), "divergence is 1 of that of its vorticity: penalties of 1"))
    << flow->advice();
  EXPECT_FALSE(contains(make(setting, vortex_data())->advice(), "backflow"));
}

/// Whatever solves the linear systems, they have one solution.
TEST_P(FlowSolverTest, LinearSolversAgree)
{
  const FlowSetting<2> setting(3);
  auto                 data      = vortex_data();
  data.viscosity                 = 10.;
  data.velocity_solver.tolerance = data.pressure_solver.tolerance = 1e-11;
  const auto run = [&](const VelocityPreconditioning preconditioner, const KrylovMethod method) {
    data.velocity_preconditioner = preconditioner;
    data.krylov_method           = method;
    auto         flow            = make(setting, data);
    unsigned int n               = 0;
    for (const double dt : {0.1, 0.1, 0.12, 0.07})
      n += flow->step(dt).velocity.iterations;
    return std::make_pair(n, std::move(flow));
  };
  using Kind              = VelocityPreconditioning;
  const auto   expected   = run(Kind::inverse_mass, KrylovMethod::dealii_cg);
  unsigned int iterations = expected.first;
  for (const auto kind : {Kind::block_jacobi, Kind::p_multigrid})
    {
      const auto result = run(kind, KrylovMethod::dealii_cg);
      EXPECT_LT(distance(*result.second, *expected.second), 1e-8);
      EXPECT_LT(result.first, iterations);
      iterations          = result.first;
      const auto by_belos = run(kind, KrylovMethod::belos);
      EXPECT_LT(distance(*by_belos.second, *expected.second), 1e-8);
      EXPECT_NEAR(by_belos.first, iterations, 8.);
    }
}

TEST_P(FlowSolverTest, Projection)
{
  for (const unsigned int degree : {1, 2, 3, 5})
    for (const auto &conditions : all_flow_conditions<2>())
      expect_no_divergence<2>(degree, conditions);
  for (const unsigned int degree : {1, 2, 3})
    for (const auto &conditions : all_flow_conditions<3>())
      expect_no_divergence<3>(degree, conditions);
}

/// Constants are in the kernel, and perhaps more.
TEST_P(FlowSolverTest, ProjectionOfPeriodicFlows)
{
  const auto conditions = periodic_conditions<FlowBoundaryConditions, 2>();
  for (const unsigned int degree : {1, 2, 3, 5})
    expect_no_divergence<2>(degree, conditions);
  FlowBoundaryConditions<3> in_a_box;
  for (unsigned int id = 0; id < 6; ++id)
    in_a_box.set_slip(id);
  expect_no_divergence<3>(2, in_a_box);
}

/// What has no divergence stays as it is, up to the error of its discretisation.
TEST_P(FlowSolverTest, ProjectionChangesLittle)
{
  const FlowSetting<2> setting(5, 8);
  const auto flow = make(setting, vortex_data()), projected = make(setting, vortex_data());
  projected->project_to_divergence_free();
  EXPECT_LT(distance(*flow, *projected), 1e-3);
  EXPECT_GT(distance(*flow, *projected), 1e-8);
  flow->step(0.01);
  projected->step(0.01); // with the convection of the projected velocity
  EXPECT_LT(distance(*flow, *projected), 1e-3);
}

/// Neither those that a step sets up anew nor those that it does not.
TEST_P(FlowSolverTest, TriangulationThatChanged)
{
  FlowSetting<2> setting(2);
  const auto     flow = make(setting, vortex_data());
  flow->step(0.01);
  setting.triangulation.refine_global(1);
  const std::string message = message_of([&]() { flow->step(0.01); });
  EXPECT_TRUE(contains(message, "Make the mesh anew"));
  EXPECT_FALSE(contains(message, "shorter steps"));
}

/// A lid moves under a smooth pulse, whose first values are far below what single precision has.
TEST_P(FlowSolverTest, FromRestUnderAPulse)
{
  const FlowSetting<2>      setting(3);
  FlowBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 3; ++id)
    conditions.set_no_slip(id);
  conditions.set_velocity(3, Expression(2, "16*x^2*(1-x)^2*exp(-((t-1)/0.1)^2); 0", 2));
  using Kind = VelocityPreconditioning;
  for (const auto kind : {Kind::inverse_mass, Kind::block_jacobi, Kind::p_multigrid})
    for (const auto method : {KrylovMethod::dealii_cg, KrylovMethod::belos})
      {
        auto data                    = vortex_data();
        data.velocity_preconditioner = kind;
        data.krylov_method           = method;
        Flow flow;
        flow.reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
        flow.set_state(0., FieldFunction<2>(), FieldFunction<2>());
        while (flow.time() < 0.3)
          {
            const FlowStepReport report = flow.step(0.05);
            const double         lid    = std::exp(-std::pow((flow.time() - 1.) / 0.1, 2));
            EXPECT_GT(report.velocity.iterations, 0u);
            EXPECT_NEAR(flow.velocity().linfty_norm(), 0.1 * lid, 0.05 * lid);
          }
      }
}

/// A flow and the same in other units: bit by bit, if they are powers of two.
TEST_P(FlowSolverTest, AnyUnits)
{
  const FlowSetting<2> setting(3);
  const auto           run = [&](const double velocity) {
    std::ostringstream lid;
    lid << std::setprecision(17) << velocity << "*16*x^2*(1-x)^2; 0";
    FlowBoundaryConditions<2> conditions;
    for (unsigned int id = 0; id < 3; ++id)
      conditions.set_no_slip(id);
    conditions.set_velocity(3, Expression(2, lid.str(), 2));
    auto data                    = vortex_data();
    data.viscosity               = 0.125 * velocity;
    data.velocity_preconditioner = VelocityPreconditioning::p_multigrid;
    auto flow                    = std::make_unique<Flow>();
    flow->reinit(setting.mesh(), setting.velocity, setting.pressure, conditions, device(), data);
    flow->set_state(0., FieldFunction<2>(), FieldFunction<2>());
    std::vector<unsigned int> iterations;
    for (unsigned int step = 0; step < 3; ++step)
      {
        const FlowStepReport report = flow->step(0.015625 / velocity);
        iterations.push_back(report.velocity.iterations);
        iterations.push_back(report.pressure.iterations);
      }
    Saltus::Vector<double> u = flow->velocity();
    u /= velocity;
    return std::make_pair(iterations, u);
  };
  const auto expected = run(1.);
  for (const int exponent : {-150, 150})
    {
      const auto result = run(std::exp2(exponent));
      EXPECT_EQ(result.first, expected.first);
      EXPECT_LT(result.second.max_difference(expected.second), 1e-12);
    }
}
