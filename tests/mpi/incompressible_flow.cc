// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The viscous operator and steps of incompressible flow on several ranks against one.
#include <saltus/solvers/flow/incompressible_flow.h>

#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class IncompressibleFlowOnRanks : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare_products(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree, dim == 2 ? 12 : 4);
      for (const auto &conditions : all_flow_conditions<dim>(degree % 2 == 0))
        {
          SCOPED_TRACE("degree " + std::to_string(degree));
          const auto product = [&](const auto &velocity, auto &part) {
            const auto mesh =
              make_mesh(setting.mapping, velocity.get_triangulation(), conditions.periodic());
            const ElementSpace<dim, double> space(mesh, velocity, 2 * degree, 2 * degree, device());
            ViscousOperator<dim>            A;
            A.reinit(mesh, degree, conditions, device(), {0.6, 1.2});
            Saltus::Vector<double> dst = space.make_vector();
            A.add_boundary_data(dst, 0.7);
            A.vmult_add(dst, copied(space, part));
            space.copy_to(part, dst);
          };
          compare_with_one_rank(setting.velocity, setting.random_velocity(1), 1e-12, product);
        }
    }

    /// A jet enters a box with walls and leaves it again.
    /// @param projected whether it begins with a flow without divergence instead of rest
    /// @param steps their lengths
    /// @param spreads on which meshes of all ranks
    /// @param pressure_tolerance in the first steps the solver's tolerance, divided by their length
    template <int dim>
    void
    compare_steps(const std::vector<Spread>                              &spreads   = all_spreads,
                  const typename IncompressibleFlow<dim>::AdditionalData &wanted    = {},
                  const bool                                              projected = false,
                  const std::vector<double> &steps              = {0.01, 0.01, 0.015, 0.02},
                  const double               pressure_tolerance = 1e-9) const
    {
      const FlowSetting<dim>      setting(2, dim == 2 ? 8 : 3);
      FlowBoundaryConditions<dim> conditions;
      conditions.set_velocity(
        0, Expression(dim, dim == 2 ? "y*(1-y)*(1+t); 0" : "y*(1-y)*(1+t); 0; 0", dim));
      conditions.set_outflow(1);
      conditions.set_no_slip(2);
      for (unsigned int id = 3; id < 2 * dim; ++id)
        conditions.set_slip(id);
      const auto run =
        [&](const DoFHandler<dim> &velocity, const DoFHandler<dim> &pressure, auto &u, auto &p) {
          auto data                             = wanted;
          data.viscosity                        = 0.05;
          data.velocity_solver.tolerance        = data.pressure_solver.tolerance =
            data.stabilization_solver.tolerance = 1e-12;
          data.body_force = Expression(dim, dim == 2 ? "y; -x*t" : "y; -x*t; z", dim);
          IncompressibleFlow<dim> flow;
          flow.reinit(make_mesh(setting.mapping, velocity.get_triangulation()),
                      velocity,
                      pressure,
                      conditions,
                      device(),
                      data);
          flow.set_state(0., FieldFunction<dim>(), FieldFunction<dim>());
          if (projected)
            flow.project_to_divergence_free({1e-12, 1000});
          for (const double dt : steps)
            flow.step(dt);
          flow.operators().velocity_space().copy_to(u, flow.velocity());
          flow.operators().pressure_space().copy_to(p, flow.pressure());
        };
      dealii::Vector<double> u, p;
      run(setting.velocity, setting.pressure, u, p);
      EXPECT_GT(u.l2_norm(), 0.1);
      for (const Spread spread : spreads)
        {
          SCOPED_TRACE(to_string(spread));
          const FlowParts<dim> parts(setting.velocity, setting.pressure, spread);
          auto                 u_part = parts.velocity.part_of(u);
          auto                 p_part = parts.pressure.part_of(p);
          u_part                      = 0.;
          p_part                      = 0.;
          run(parts.velocity.dof_handler, parts.pressure_dofs, u_part, p_part);
          EXPECT_LT(relative_difference(parts.velocity.whole(u_part), u), 1e-10);
          EXPECT_LT(relative_difference(parts.pressure.whole(p_part), p), pressure_tolerance);
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(IncompressibleFlowOnRanks)

TEST_P(IncompressibleFlowOnRanks, ViscousProducts)
{
  for (const unsigned int degree : {1, 2, 3})
    compare_products<2>(degree);
  compare_products<3>(2);
}

TEST_P(IncompressibleFlowOnRanks, Steps)
{
  compare_steps<2>();
  compare_steps<3>();
}

/// Rounding does not grow.
TEST_P(IncompressibleFlowOnRanks, FiftySteps)
{
  IncompressibleFlow<2>::AdditionalData data;
  data.n_subcycles = 2;
  compare_steps<2>({Spread::scattered}, data, false, std::vector<double>(50, 0.02), 1e-10);
}

TEST_P(IncompressibleFlowOnRanks, Subcycles)
{
  IncompressibleFlow<2>::AdditionalData data;
  data.n_subcycles = 2;
  compare_steps<2>(hardest_spreads, data);
  data.subcycle_cfl = 0.02;
  compare_steps<2>(hardest_spreads, data);
}

TEST_P(IncompressibleFlowOnRanks, Solvers)
{
  IncompressibleFlow<2>::AdditionalData data;
  data.velocity_preconditioner = VelocityPreconditioning::block_jacobi;
  data.krylov_method           = KrylovMethod::belos;
  compare_steps<2>(hardest_spreads, data);
  data.velocity_preconditioner = VelocityPreconditioning::p_multigrid;
  data.krylov_method           = KrylovMethod::dealii_cg;
  compare_steps<2>(hardest_spreads, data);
}

TEST_P(IncompressibleFlowOnRanks, Projection)
{
  compare_steps<2>(hardest_spreads, {}, true);
}

TEST_P(IncompressibleFlowOnRanks, Penalties)
{
  const auto with_stabilization = [](auto data) {
    data.divergence_penalty = data.continuity_penalty = 5.;
    data.stabilization_solver.tolerance               = 1e-13;
    return data;
  };
  compare_steps<2>(hardest_spreads, with_stabilization(IncompressibleFlow<2>::AdditionalData()));
  compare_steps<3>(hardest_spreads, with_stabilization(IncompressibleFlow<3>::AdditionalData()));
}
