// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Incompressible flow on meshes that mix triangles and quadrilaterals: rates, and what flows on one
// shape do.
#include <saltus/io/results/error_table.h>
#include <saltus/solvers/flow/incompressible_flow.h>

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/mixed_flow.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Flow = MixedIncompressibleFlow<2>;

  /// Kovasznay's steady flow at Re = 40, see incompressible_flow.cc.
  const std::string kovasznay_velocity =
                      "1-exp(-0.9637405441957703*x)*cos(2*pi*y);"
                      "-0.9637405441957703/(2*pi)*exp(-0.9637405441957703*x)*sin(2*pi*y)",
                    kovasznay_pressure = "-exp(-2*0.9637405441957703*x)/2",
                    kovasznay_derivative =
                      "0.9637405441957703*exp(-0.9637405441957703*x)*cos(2*pi*y);"
                      "0.9637405441957703^2/(2*pi)*exp(-0.9637405441957703*x)*sin(2*pi*y)";

  Expression
  expression(const std::string &text, const unsigned int n_components)
  {
    return Expression(2, text, n_components);
  }

  FlowBoundaryConditions<2>
  kovasznay_conditions()
  {
    FlowBoundaryConditions<2> conditions;
    for (const unsigned int id : {0, 2, 3})
      conditions.set_velocity(id, expression(kovasznay_velocity, 2));
    conditions.set_outflow(1,
                           expression(kovasznay_pressure, 1),
                           expression(kovasznay_derivative, 2));
    return conditions;
  }

  template <typename AnyFlow>
  typename AnyFlow::AdditionalData
  settings()
  {
    typename AnyFlow::AdditionalData data;
    data.viscosity                 = 0.025;
    data.velocity_solver.tolerance = data.pressure_solver.tolerance = 1e-11;
    data.stabilization_solver.tolerance                             = 1e-11;
    return data;
  }

  class MixedFlowTest : public OnDevice
  {
  protected:
    /// Of the velocity and of the pressure.
    std::array<double, 2>
    kovasznay_errors(const unsigned int degree, const unsigned int n) const
    {
      Triangulation<2> triangulation;
      make_mixed_box(triangulation, n, 0.1, Point<2>(1., 1.));
      const auto             mapping = straight_mapping();
      const MixedFlowSetting setting(triangulation, mapping, degree, degree - 1);
      auto                   data  = settings<Flow>();
      data.velocity_preconditioner = VelocityPreconditioning::p_multigrid;
      data.divergence_penalty = data.continuity_penalty = 0.;
      data.operators.backflow_stabilization             = 0.;
      Flow flow;
      flow.reinit(setting.meshes(),
                  setting.velocity,
                  setting.pressure,
                  kovasznay_conditions(),
                  device(),
                  data);
      flow.set_state(0., expression(kovasznay_velocity, 2), expression(kovasznay_pressure, 1));
      const double dt = 0.2 / flow.convection_rate();
      while (flow.time() < 0.2)
        EXPECT_LT(flow.step(dt).pressure.iterations, 20u);
      const auto error = [&](const DoFHandler<2>          &dof_handler,
                             const dealii::Vector<double> &solution,
                             const Expression             &exact) {
        return Saltus::l2_error(mapping, dof_handler, solution, exact, 0.);
      };
      return {{error(setting.velocity,
                     BlockSpaces(flow.operators(), true).to_dealii(flow.velocity()),
                     expression(kovasznay_velocity, 2)),
               error(setting.pressure,
                     BlockSpaces(flow.operators(), false).to_dealii(flow.pressure()),
                     expression(kovasznay_pressure, 1))}};
    }

    /// On a mesh whose cells have one shape all is as where there is no other.
    void
    compare_with_one_shape(const bool of_triangles) const
    {
      Triangulation<2> triangulation;
      if (of_triangles)
        {
          Triangulation<2> quadrilaterals;
          dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 4, 0., 1., true);
          dealii::GridGenerator::convert_hypercube_to_simplex_mesh(quadrilaterals, triangulation);
        }
      else
        dealii::GridGenerator::subdivided_hyper_cube(triangulation, 6, 0., 1., true);
      const auto mapping = straight_mapping();
      // On quadrilaterals the penalty of the pressure depends on both degrees.
      const MixedFlowSetting    setting(triangulation, mapping, 3, of_triangles ? 3 : 2);
      FlowBoundaryConditions<2> conditions;
      conditions.set_velocity(0, expression("y*(1-y)*(1+t); 0", 2));
      conditions.set_outflow(1);
      conditions.set_no_slip(2);
      conditions.set_slip(3);
      const auto meshes = setting.meshes();
      for (const auto preconditioner : {VelocityPreconditioning::inverse_mass,
                                        VelocityPreconditioning::block_jacobi,
                                        VelocityPreconditioning::p_multigrid})
        {
          const auto run = [&](auto &flow, const auto &mesh) {
            auto data                    = settings<std::decay_t<decltype(flow)>>();
            data.velocity_preconditioner = preconditioner;
            data.n_subcycles             = preconditioner == VelocityPreconditioning::inverse_mass;
            data.body_force              = expression("y; -x*t", 2);
            flow.reinit(mesh, setting.velocity, setting.pressure, conditions, device(), data);
            flow.set_state(0., expression("y*(1-y); 0.1*x", 2), FieldFunction<2>());
            flow.project_to_divergence_free();
            for (const double dt : {0.01, 0.02, 0.02})
              flow.step(dt);
          };
          Flow                  flow;
          IncompressibleFlow<2> expected;
          const unsigned int    shape = of_triangles ? 0 : 1;
          run(flow, meshes);
          run(expected, meshes[shape]);
          EXPECT_LT(flow.velocity().block(shape).max_difference(expected.velocity()), 1e-8);
          EXPECT_LT(flow.pressure().block(shape).max_difference(expected.pressure()), 1e-6);
          EXPECT_NEAR(flow.convection_rate(), expected.convection_rate(), 1e-8);
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(MixedFlowTest)

TEST_P(MixedFlowTest, Kovasznay)
{
  for (const unsigned int degree : {2, 3})
    {
      const auto coarse = kovasznay_errors(degree, 5), fine = kovasznay_errors(degree, 10);
      EXPECT_GT(std::log2(coarse[0] / fine[0]), degree + 0.6);
      EXPECT_GT(std::log2(coarse[1] / fine[1]), degree - 0.4);
    }
}

TEST_P(MixedFlowTest, AsOnOneShape)
{
  compare_with_one_shape(true);
  compare_with_one_shape(false);
}

// What is kept, to go on bit by bit.
TEST_P(MixedFlowTest, Memory)
{
  const Ring                ring;
  const MixedFlowSetting    setting(ring.triangulation, *ring.mapping, 2, 1);
  FlowBoundaryConditions<2> conditions;
  conditions.set_velocity(0, expression("-y; x", 2));
  conditions.set_no_slip(1);
  Flow flow, other;
  for (Flow *one : {&flow, &other})
    one->reinit(
      setting.meshes(), setting.velocity, setting.pressure, conditions, device(), settings<Flow>());
  flow.set_state(0., FieldFunction<2>(), FieldFunction<2>());
  for (unsigned int i = 0; i < 3; ++i)
    flow.step(0.01);
  other.set_memory(flow.memory());
  for (Flow *one : {&flow, &other})
    EXPECT_LT(one->step(0.01).net_flux, 1e-10);
  EXPECT_EQ(flow.velocity().max_difference(other.velocity()), 0.);
  EXPECT_EQ(flow.pressure().max_difference(other.pressure()), 0.);
  EXPECT_FALSE(flow.determines_pressure());
}

TEST_P(MixedFlowTest, Belos)
{
  const Ring             ring;
  const MixedFlowSetting setting(ring.triangulation, *ring.mapping, 1);
  auto                   data = settings<Flow>();
  data.krylov_method          = KrylovMethod::belos;
  FlowBoundaryConditions<2> conditions;
  conditions.set_no_slip(0);
  conditions.set_no_slip(1);
  Flow flow;
  EXPECT_MESSAGE(
    flow.reinit(setting.meshes(), setting.velocity, setting.pressure, conditions, device(), data),
    "Belos is not there on meshes that mix shapes");
}
