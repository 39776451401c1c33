// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Incompressible flow on meshes that mix triangles and quadrilaterals on several ranks against one:
// operators, and steps with all that they may contain.
#include <saltus/solvers/flow/incompressible_flow.h>

#include <gtest/gtest.h>
#include <helpers/mixed_flow.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Flow = MixedIncompressibleFlow<2>;

  FlowBoundaryConditions<2>
  jet_conditions()
  {
    FlowBoundaryConditions<2> conditions;
    conditions.set_velocity(0, Expression(2, "y*(1-y)*(1+t); 0", 2));
    conditions.set_outflow(1);
    conditions.set_no_slip(2);
    conditions.set_slip(3);
    return conditions;
  }

  class MixedFlowOnRanks : public OnDevice
  {
  protected:
    /// @param step what is done with a flow
    template <typename Step>
    void
    compare(const typename Flow::AdditionalData &data, const Step &step) const
    {
      Triangulation<2> triangulation;
      make_mixed_box(triangulation, 7, 0.2);
      const auto             mapping = straight_mapping();
      const MixedFlowSetting setting(triangulation, mapping, 2, 1);
      const auto             run =
        [&](const DoFHandler<2> &velocity, const DoFHandler<2> &pressure, auto &u, auto &p) {
          Flow flow;
          flow.reinit(make_mixed_mesh(mapping, velocity.get_triangulation()),
                      velocity,
                      pressure,
                      jet_conditions(),
                      device(),
                      data);
          flow.set_state(0., Expression(2, "y*(1-y); x*y", 2), Expression(2, "x*y", 1));
          step(flow);
          for (unsigned int i = 0; i < flow.operators().n_parts(); ++i)
            {
              const auto &part = flow.operators().part(i);
              part.velocity_space().copy_to(u, flow.velocity().block(i));
              part.pressure_space().copy_to(p, flow.pressure().block(i));
            }
        };
      auto u = setting.random_velocity(1), p = setting.random_pressure(1);
      run(setting.velocity, setting.pressure, u, p);
      EXPECT_GT(u.l2_norm(), 0.1);
      for (const Spread spread : all_spreads)
        {
          SCOPED_TRACE(to_string(spread));
          const FlowParts<2> parts(setting.velocity, setting.pressure, spread);
          auto               u_part = parts.velocity.part_of(u);
          auto               p_part = parts.pressure.part_of(p);
          u_part                    = 0.;
          p_part                    = 0.;
          run(parts.velocity.dof_handler, parts.pressure_dofs, u_part, p_part);
          EXPECT_LT(relative_difference(parts.velocity.whole(u_part), u), 1e-10);
          EXPECT_LT(relative_difference(parts.pressure.whole(p_part), p), 1e-9);
        }
    }

    static typename Flow::AdditionalData
    settings()
    {
      typename Flow::AdditionalData data;
      data.viscosity                        = 0.05;
      data.velocity_solver.tolerance        = data.pressure_solver.tolerance =
        data.stabilization_solver.tolerance = 1e-12;
      data.body_force                       = Expression(2, "y; -x*t", 2);
      return data;
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(MixedFlowOnRanks)

TEST_P(MixedFlowOnRanks, Steps)
{
  auto data                    = settings();
  data.velocity_preconditioner = VelocityPreconditioning::block_jacobi;
  compare(data, [](Flow &flow) {
    for (const double dt : {0.01, 0.01, 0.02})
      flow.step(dt);
  });
}

TEST_P(MixedFlowOnRanks, Subcycles)
{
  auto data                    = settings();
  data.velocity_preconditioner = VelocityPreconditioning::p_multigrid;
  data.n_subcycles             = 2;
  compare(data, [](Flow &flow) {
    flow.project_to_divergence_free({1e-12, 1000});
    for (const double dt : {0.02, 0.02, 0.03})
      flow.step(dt);
  });
}
