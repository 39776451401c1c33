// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time integration as a restart needs it, and the numbers that describe a state.
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/fe/dg_element.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/solvers/time/time_integrator.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Relative change of the integral of a constant state on @p triangulation in 10,000 steps.
  template <typename Number>
  double
  gained_mass(const Triangulation<2> &triangulation,
              const Device           &device,
              const std::string      &scheme)
  {
    const ReferenceCell cell = triangulation.get_reference_cells()[0];
    DoFHandler<2>       dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<2>(*dg_element<2>(cell, 2), 1));
    const Expression      state(2, "0.7", 1);
    BoundaryConditions<2> conditions;
    for (const unsigned int id : {0, 1, 2, 3})
      conditions.set_prescribed(id, state);
    using Operator = ConservationLawOperator<2, Advection<2>, Number>;
    typename Operator::AdditionalData data;
    data.fields = FieldFunction<2>(Expression(2, "1; 0.3", 2));
    Operator op;
    op.reinit(
      cell.get_default_linear_mapping<2>(), dof_handler, Advection<2>(), conditions, device, data);
    Saltus::Vector<Number> u;
    op.initialize_vector(u);
    op.project(state, u);
    const double before = op.integrals(u)[0];
    TimeState    time;
    time.max_dt                    = 0.01;
    TimeClock                clock = op.make_clock(time);
    TimeIntegrator<Operator> integrator(op, clock, RungeKutta(scheme));
    integrator.advance(u, 10000);
    return std::abs(op.integrals(u)[0] / before - 1.);
  }


  /// Advection with velocity (1, 0) in the unit square, u = 0 upstream.
  class TransportTest : public OnDevice
  {
  protected:
    using Operator = ConservationLawOperator<2, Advection<2>>;

    TransportTest()
      : mapping(FE_SimplexP<2>(1))
      , dof_handler(triangulation)
    {}

    void
    set_up(const unsigned int n, const std::string &initial, const bool local_steps = false)
    {
      triangulation.clear();
      make_box(triangulation, n, 0.);
      dof_handler.distribute_dofs(FESystem<2>(FE_SimplexDGModal<2>(2), 1));
      BoundaryConditions<2> conditions;
      conditions.set_prescribed(0, Expression(2, "0", 1));
      for (const unsigned int id : {1, 2, 3})
        conditions.set_outflow(id);
      Operator::AdditionalData data;
      data.fields      = FieldFunction<2>(Expression(2, "1; 0", 2));
      data.local_steps = local_steps;
      op.reinit(mapping, dof_handler, Advection<2>(), conditions, device(), data);
      op.initialize_vector(u);
      op.project(FieldFunction<2>(Expression(2, initial, 1)), u);
    }

    /// Steps of size 0.01 to time 0.255, in calls of @p n each.
    std::vector<double>
    run(const std::string &scheme, const long n)
    {
      op.project(FieldFunction<2>(Expression(2, "exp(-20*(x-0.4)^2)*cos(y)", 1)), u);
      TimeState time;
      time.max_dt                    = 0.01;
      time.end                       = 0.255;
      TimeClock                clock = op.make_clock(time);
      TimeIntegrator<Operator> integrator(op, clock, RungeKutta(scheme));
      while (clock.state().time < time.end)
        integrator.advance(u, n);
      EXPECT_EQ(clock.state().time, time.end);
      EXPECT_EQ(clock.state().n_steps, 26);
      return u.to_host();
    }

    Triangulation<2>       triangulation;
    const MappingFE<2>     mapping;
    DoFHandler<2>          dof_handler;
    Operator               op;
    Saltus::Vector<double> u;
  };
} // namespace


TEST_P(TransportTest, StepsDoNotDependOnTheirDivision)
{
  set_up(4, "0");
  for (const std::string scheme : {"SSP3", "RK4", "LSRK45"})
    {
      const auto at_once = run(scheme, 1000);
      EXPECT_EQ(run(scheme, 1), at_once) << scheme;
      EXPECT_EQ(run(scheme, 7), at_once) << scheme;
    }
}


// No rounded coefficient of a scheme makes mass out of a constant state.
TEST_P(TransportTest, ConstantStatesKeepTheirMass)
{
  Triangulation<2> triangles, quadrilaterals;
  make_box(triangles, 3, 0.1);
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 3, 0., 1., true);
  for (const auto *const triangulation : {&triangles, &quadrilaterals})
    for (const std::string scheme : {"SSP2", "SSP3", "RK4", "LSRK45"})
      {
        EXPECT_LT(gained_mass<double>(*triangulation, device(), scheme), 1e-12) << scheme;
        EXPECT_LT(gained_mass<float>(*triangulation, device(), scheme), 2e-6) << scheme;
      }
}


TEST_P(TransportTest, AdvanceCountsSteps)
{
  set_up(2, "1");
  TimeState time;
  time.max_dt                    = 0.01;
  TimeClock                clock = op.make_clock(time);
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
  integrator.advance(u, 0);
  EXPECT_EQ(clock.state().n_steps, 0);
  integrator.advance(u, 13);
  EXPECT_EQ(clock.state().n_steps, 13);
  EXPECT_NEAR(clock.state().time, 0.13, 1e-14);
}


TEST_P(TransportTest, AdvanceStopsWhereTimeDoesNotAdvance)
{
  set_up(2, "1");
  TimeState time;
  time.max_dt                    = 0.;
  TimeClock                clock = op.make_clock(time);
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
  EXPECT_THROW(integrator.advance(u, 10), ExceptionBase);
}


TEST_P(TransportTest, Statistics)
{
  set_up(1, "1+2*x"); // two triangles with their centroids at x = 1/3 and 2/3
  const StateStatistics statistics = op.statistics(u);
  ASSERT_EQ(statistics.integrals.size(), 1);
  EXPECT_NEAR(statistics.integrals[0], 2., 1e-14);
  EXPECT_NEAR(statistics.norms[0], std::sqrt(13. / 3.), 1e-14);
  EXPECT_NEAR(statistics.minima[0], 5. / 3., 1e-14);
  EXPECT_NEAR(statistics.maxima[0], 7. / 3., 1e-14);

  auto values                                   = u.to_host();
  values[u.layout().coefficients().index(0, 0)] = std::numeric_limits<double>::quiet_NaN();
  u.copy_from_host(values.data());
  EXPECT_TRUE(std::isnan(op.statistics(u).minima[0]));
  EXPECT_TRUE(std::isnan(op.statistics(u).maxima[0]));
  EXPECT_TRUE(std::isnan(op.statistics(u).norms[0]));
}


TEST_P(TransportTest, OutflowIsRestored)
{
  set_up(2, "1");
  TimeState time;
  time.max_dt                     = 0.01;
  time.end                        = 0.1;
  TimeClock                clock  = op.make_clock(time);
  const double             before = op.integrals(u)[0];
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("SSP3"));
  integrator.advance(u, 100);
  EXPECT_NEAR(clock.outflow()[0], before - op.integrals(u)[0], 1e-14);
  EXPECT_GT(clock.outflow()[0], 0.05);

  const std::vector<double> by_face = clock.outflow_by_face();
  clock.set_outflow_by_face(std::vector<double>(by_face.size(), 0.));
  EXPECT_EQ(clock.outflow()[0], 0.);
  clock.set_outflow_by_face(by_face);
  EXPECT_EQ(clock.outflow_by_face(), by_face);
}


SALTUS_INSTANTIATE_ON_DEVICES(TransportTest)

/// Where all elements could take the same step, steps of their own are those of all.
TEST_P(TransportTest, LocalStepsOfEqualElements)
{
  for (const std::string scheme : {"SSP2", "SSP3", "RK4", "LSRK45"})
    {
      SCOPED_TRACE(scheme);
      const auto after_steps = [&](const bool local_steps) {
        dof_handler.clear();
        set_up(4, "exp(-20*(x-0.4)^2)*cos(y)", local_steps);
        TimeState time;
        time.cfl                       = 0.4;
        time.end                       = 0.2;
        TimeClock                clock = op.make_clock(time);
        TimeIntegrator<Operator> integrator(op, clock, RungeKutta(scheme));
        integrator.advance(u, 5);
        return u.entries();
      };
      const auto local = after_steps(true), global = after_steps(false);
      for (std::size_t i = 0; i < local.size(); ++i)
        EXPECT_NEAR(local[i], global[i], 1e-13);
    }
}
