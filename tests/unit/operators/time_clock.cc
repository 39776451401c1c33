// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Operators do not change by being used: clocks carry the time. What happens when one of them, or
// the operator, changes under a live integrator, and after a failure.
#include <saltus/physics/advection.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>
#include <helpers/time_state.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Law      = Euler<2>;
  using Operator = ConservationLawOperator<2, Law>;

  /// Euler's equations on a box with all boundary conditions and a random state.
  struct Problem
  {
    explicit Problem(const Device device, const unsigned int degree = 2, const unsigned int n = 5)
      : setting(std::make_unique<Setting<2, Law>>(degree, Law(), n))
    {
      op.reinit(
        setting->mapping, setting->dof_handler, setting->law, all_conditions<2, Law>(), device);
      set_initial(u);
    }

    void
    set_initial(Saltus::Vector<double> &vector) const
    {
      op.initialize_vector(vector);
      op.copy_from(vector, setting->random_state(0.02));
    }

    std::unique_ptr<Setting<2, Law>> setting;
    Operator                         op;
    Saltus::Vector<double>           u;
  };

  /// Coefficients after @p n steps from the initial state, with objects of their own.
  std::vector<double>
  fresh_run(const Device       device,
            const unsigned int degree,
            const unsigned int n_subdivisions,
            const unsigned int n)
  {
    Problem                  problem(device, degree, n_subdivisions);
    TimeClock                clock = problem.op.make_clock(with_cfl(0.5));
    TimeIntegrator<Operator> integrator(problem.op, clock, RungeKutta("LSRK45"));
    integrator.steps(problem.u, n);
    return problem.u.to_host();
  }
} // namespace

using TimeClockTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(TimeClockTest)

TEST_P(TimeClockTest, ApplyChangesNothing)
{
  Problem   problem(device());
  TimeState state   = with_cfl(0.5);
  state.time        = 0.25;
  state.dt          = 0.125;
  TimeClock  clock  = problem.op.make_clock(state);
  auto       r      = zeros(problem.op);
  const auto before = CudaRuntime::transferred_bytes();
  problem.op.apply(clock, problem.u, r);
  EXPECT_EQ(CudaRuntime::transferred_bytes(), before);
  const TimeState after = clock.state();
  EXPECT_EQ(after.time, 0.25);
  EXPECT_EQ(after.dt, 0.125);
  EXPECT_EQ(after.n_steps, 0);
  for (const double outflow : clock.outflow_by_face())
    EXPECT_EQ(outflow, 0.);
  EXPECT_GT(r.l2_norm(), 0.1);
}

/// Boundary data at the time that is asked for.
TEST_P(TimeClockTest, ApplyAtAFractionOfTheStep)
{
  const Setting<2, Advection<2>> setting(0, Advection<2>(), 2);
  BoundaryConditions<2>          conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_prescribed(id, Expression(2, "t", 1));
  ConservationLawOperator<2, Advection<2>>                 op;
  ConservationLawOperator<2, Advection<2>>::AdditionalData data;
  data.fields = Expression(2, "1; 0", 2);
  op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device(), data);
  auto      u = zeros(op), r = u;
  TimeState state;
  state.time      = 2.;
  state.dt        = 0.5;
  TimeClock clock = op.make_clock(state);
  for (const double fraction : {0., 0.5, 1.})
    {
      op.apply(clock, u, r, fraction);
      // What enters through the side of length 1.25.
      EXPECT_NEAR(op.integrals(r)[0], 1.25 * (2. + 0.5 * fraction), 1e-13);
    }
}

/// Two computations with one operator do not disturb each other.
TEST_P(TimeClockTest, ClocksOfOneOperatorAreIndependent)
{
  const auto               expected = fresh_run(device(), 2, 5, 10);
  Problem                  problem(device());
  Saltus::Vector<double>   v       = problem.u;
  TimeClock                clock_u = problem.op.make_clock(with_cfl(0.5));
  TimeClock                clock_v = problem.op.make_clock(with_cfl(0.25));
  TimeIntegrator<Operator> integrator_u(problem.op, clock_u, RungeKutta("LSRK45"));
  TimeIntegrator<Operator> integrator_v(problem.op, clock_v, RungeKutta("SSP3"));
  for (unsigned int i = 0; i < 10; ++i)
    {
      integrator_u.steps(problem.u, 1);
      integrator_v.steps(v, 1);
    }
  EXPECT_EQ(problem.u.to_host(), expected);
  EXPECT_LT(clock_v.state().time, 0.6 * clock_u.state().time);
  EXPECT_NE(clock_u.outflow(), clock_v.outflow());
}

/// Operators that step together, as splittings do: one chooses the step, the other uses it.
TEST_P(TimeClockTest, OperatorsShareOneTime)
{
  Problem                        flow(device());
  const Setting<2, Advection<2>> setting(1);
  BoundaryConditions<2>          conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_prescribed(id, Expression(2, "t", 1));
  ConservationLawOperator<2, Advection<2>>                 scalar;
  ConservationLawOperator<2, Advection<2>>::AdditionalData data;
  data.fields = fields<2, Advection<2>>();
  scalar.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device(), data);
  auto                   u = zeros(scalar), out = u;
  Saltus::Vector<double> none;

  TimeClock         clock        = flow.op.make_clock(with_cfl(0.5));
  TimeClock         scalar_clock = scalar.make_clock(clock);
  StageCoefficients euler_step;
  euler_step.a = euler_step.c = 1.;
  flow.op.begin_step(clock, flow.u);
  scalar.stage(scalar_clock, euler_step, u, none, none, out);
  flow.op.end_step(clock);
  EXPECT_GT(clock.state().dt, 0.);
  EXPECT_EQ(scalar_clock.state().time, clock.state().dt);
  EXPECT_EQ(scalar_clock.state().n_steps, 1);
  EXPECT_EQ(scalar_clock.n_components(), 1);
}

/// On a GPU the steps are recorded, with the addresses of the operator's memory.
TEST_P(TimeClockTest, ReinitUnderALiveIntegrator)
{
  Problem                  problem(device(), 2, 5);
  TimeClock                clock = problem.op.make_clock(with_cfl(0.5));
  TimeIntegrator<Operator> integrator(problem.op, clock, RungeKutta("LSRK45"));
  integrator.steps(problem.u, 3);

  for (const auto &[degree, n] : {std::pair(2, 5), std::pair(1, 5), std::pair(3, 7)})
    {
      SCOPED_TRACE("degree " + std::to_string(degree));
      problem.setting = std::make_unique<Setting<2, Law>>(degree, Law(), n);
      problem.op.reinit(problem.setting->mapping,
                        problem.setting->dof_handler,
                        problem.setting->law,
                        all_conditions<2, Law>(),
                        device());
      clock = problem.op.make_clock(with_cfl(0.5));
      problem.set_initial(problem.u);
      integrator.steps(problem.u, 4);
      EXPECT_EQ(problem.u.to_host(), fresh_run(device(), degree, n, 4));
    }
}

TEST_P(TimeClockTest, AnotherClockUnderALiveIntegrator)
{
  Problem                  problem(device());
  TimeClock                clock = problem.op.make_clock(with_cfl(0.5));
  TimeIntegrator<Operator> integrator(problem.op, clock, RungeKutta("LSRK45"));
  integrator.steps(problem.u, 3);
  clock = problem.op.make_clock(with_cfl(0.5));
  EXPECT_EQ(clock.outflow()[0], 0.);
  problem.set_initial(problem.u);
  integrator.steps(problem.u, 4);
  EXPECT_EQ(problem.u.to_host(), fresh_run(device(), 2, 5, 4));
  EXPECT_EQ(clock.state().n_steps, 4);
}

/// Who catches an error can go on from the state before with smaller steps.
TEST_P(TimeClockTest, RecoveryAfterAFailure)
{
  Problem   problem(device());
  TimeState state                = with_cfl(0.5);
  state.end                      = 0.02;
  TimeClock                clock = problem.op.make_clock(state);
  TimeIntegrator<Operator> integrator(problem.op, clock, RungeKutta("LSRK45"));
  integrator.advance(problem.u, 2);

  const Saltus::Vector<double> u_before       = problem.u;
  const TimeState              before         = clock.state();
  const std::vector<double>    outflow_before = clock.outflow_by_face();
  TimeState                    too_large      = before;
  too_large.cfl                               = 0.;
  too_large.max_dt                            = 1.;
  too_large.end                               = 100.;
  clock.set_state(too_large);
  EXPECT_MESSAGE(integrator.advance(problem.u, 50), "Inadmissible state of ");

  problem.u = u_before;
  clock.set_state(before);
  clock.set_outflow_by_face(outflow_before);
  EXPECT_NO_THROW(integrator.advance(problem.u));
  EXPECT_EQ(clock.state().time, 0.02);

  // As if nothing had happened.
  Problem                  other(device());
  TimeClock                other_clock = other.op.make_clock(state);
  TimeIntegrator<Operator> other_integrator(other.op, other_clock, RungeKutta("LSRK45"));
  other_integrator.advance(other.u);
  EXPECT_EQ(problem.u.to_host(), other.u.to_host());
  EXPECT_EQ(clock.outflow_by_face(), other_clock.outflow_by_face());
}

TEST_P(TimeClockTest, NothingLimitsTheStep)
{
  const Setting<2, Advection<2>>                           setting(1);
  ConservationLawOperator<2, Advection<2>>                 op;
  ConservationLawOperator<2, Advection<2>>::AdditionalData data;
  data.fields = Expression(2, "0; 0", 2);
  op.reinit(setting.mapping,
            setting.dof_handler,
            setting.law,
            all_conditions<2, Advection<2>>(),
            device(),
            data);
  auto                                                     u     = zeros(op);
  TimeClock                                                clock = op.make_clock(with_cfl(0.5));
  TimeIntegrator<ConservationLawOperator<2, Advection<2>>> integrator(op,
                                                                      clock,
                                                                      RungeKutta("SSP3"));
  EXPECT_MESSAGE(integrator.advance(u, 1), "set 'end' or 'max_dt'");
}

TEST(TimeClock, CallsBeforeReinitAreRefused)
{
  const Operator               op;
  Saltus::Vector<double>       u;
  TimeClock                    clock;
  const dealii::Vector<double> state;
  const auto                   refused = [](const auto &call) {
    return contains(message_of(call), "call its reinit() first");
  };
  EXPECT_TRUE(refused([&]() { op.initialize_vector(u); }));
  EXPECT_TRUE(refused([&]() { op.make_clock(); }));
  EXPECT_TRUE(refused([&]() { op.copy_from(u, state); }));
  EXPECT_TRUE(refused([&]() { op.project(FieldFunction<2>(Expression(2, "1;0;0;1", 4)), u); }));
  EXPECT_TRUE(refused([&]() { op.apply(clock, u, u); }));
  EXPECT_TRUE(refused([&]() { op.begin_step(clock, u); }));
  EXPECT_TRUE(refused([&]() { op.end_step(clock); }));
  EXPECT_TRUE(refused([&]() { op.limit(u); }));
  EXPECT_TRUE(refused([&]() { op.statistics(u); }));
  EXPECT_TRUE(refused([&]() { op.check_states(clock); }));
  EXPECT_TRUE(refused([&]() { op.n_elements(); }));
  EXPECT_TRUE(refused([&]() { op.device(); }));
  EXPECT_TRUE(refused([&]() { op.reference_element(); }));
  EXPECT_TRUE(refused([&]() { op.element_space(); }));
  EXPECT_TRUE(refused([&]() { op.stage_flops(); }));
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("SSP2"));
  EXPECT_TRUE(refused([&]() { integrator.step(u); }));
  EXPECT_MESSAGE(clock.set_state(TimeState()), "make_clock()");
}

TEST_P(TimeClockTest, VectorsAndClocksOfAnotherShapeAreRefused)
{
  Problem                  problem(device(), 1), finer(device(), 1, 6), higher(device(), 2);
  TimeClock                clock = problem.op.make_clock(with_cfl(0.5));
  Saltus::Vector<double>   out, none;
  const RungeKutta         scheme("LSRK45");
  const StageCoefficients &first = scheme.stages()[0];
  TimeIntegrator<Operator> integrator(problem.op, clock, scheme);
  const auto refused = [](const auto &call) { return contains(message_of(call), "Make it with"); };
  problem.op.initialize_vector(out);
  for (auto *other : {&finer, &higher})
    {
      EXPECT_TRUE(refused([&]() { problem.op.apply(clock, other->u, out); }));
      EXPECT_TRUE(refused([&]() { problem.op.apply(clock, problem.u, other->u); }));
      EXPECT_TRUE(refused([&]() { problem.op.begin_step(clock, other->u); }));
      EXPECT_TRUE(refused([&]() { problem.op.limit(other->u); }));
      EXPECT_TRUE(refused([&]() { problem.op.statistics(other->u); }));
      EXPECT_TRUE(refused(
        [&]() { problem.op.project(FieldFunction<2>(Expression(2, "1;0;0;1", 4)), other->u); }));
      EXPECT_TRUE(
        refused([&]() { problem.op.stage(clock, first, problem.u, problem.u, other->u, out); }));
    }
  EXPECT_TRUE(refused([&]() { problem.op.apply(clock, none, out); }));
  EXPECT_TRUE(refused([&]() { problem.op.stage(clock, first, problem.u, none, none, out); }));
  EXPECT_TRUE(refused([&]() { integrator.step(finer.u); }));
  TimeClock other_clock = finer.op.make_clock();
  EXPECT_TRUE(refused([&]() { problem.op.apply(other_clock, problem.u, out); }));
  EXPECT_MESSAGE(problem.op.apply(clock, out, out), "in place");
}

TEST_P(TimeClockTest, FunctionsOfAnotherDimensionAreRefused)
{
  Problem    problem(device());
  const auto problem_in_3d = "was made for 3 dimensions and cannot be used in 2";
  EXPECT_TRUE(contains(message_of([&]() {
                         problem.op.project(FieldFunction<2>(Expression(3, "1;z;0;1", 4)),
                                            problem.u);
                       }),
                       problem_in_3d));
  BoundaryConditions<2> conditions;
  EXPECT_TRUE(
    contains(message_of([&]() { conditions.set_prescribed(0, Expression(3, "1;0;0;1", 4)); }),
             problem_in_3d));
}

TEST_P(TimeClockTest, VectorsOnAnotherDeviceAreRefused)
{
  if (device() == Device::cpu())
    GTEST_SKIP() << "needs a second device";
  Problem   problem(device()), on_cpu(Device::cpu());
  TimeClock clock = problem.op.make_clock();
  EXPECT_MESSAGE(problem.op.apply(clock, on_cpu.u, problem.u),
                 "on cpu, but the Euler operator has");
}
