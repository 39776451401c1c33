// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Incompressible flow: the errors of decaying vortices fall as the theory says, in space and time.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/error_table.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/solvers/incompressible_flow.h>

#include <array>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// A solution of the equations in the box [-1/2, 1/2]^dim and what holds on its sides: the
  /// velocity on all but x = 1/2, where the fluid leaves.
  struct Flow
  {
    double      viscosity;
    std::string velocity, pressure, normal_derivative;
  };

  /// Taylor's vortices.
  const Flow vortices = {0.01,
                         "-sin(2*pi*y)*exp(-4*pi^2*0.01*t); sin(2*pi*x)*exp(-4*pi^2*0.01*t)",
                         "-cos(2*pi*x)*cos(2*pi*y)*exp(-8*pi^2*0.01*t)",
                         "0; 2*pi*cos(2*pi*x)*exp(-4*pi^2*0.01*t)"};

  /// Ethier and Steinman, Int. J. Numer. Methods Fluids 19, 1994.
  Flow
  beltrami_flow()
  {
    const std::string a = "pi/4", d = "pi/2", decay = "*exp(-pi^2/4*t)";
    const auto wave = [&](const std::string &function, const std::string &x, const std::string &y) {
      return function + "(" + a + "*" + x + "+" + d + "*" + y + ")";
    };
    const auto grow      = [&](const std::string &x) { return "exp(" + a + "*" + x + ")"; };
    const auto component = [&](const std::string &x, const std::string &y, const std::string &z) {
      return "-" + a + "*(" + grow(x) + "*" + wave("sin", y, z) + "+" + grow(z) + "*" +
             wave("cos", x, y) + ")" + decay;
    };
    const auto product = [&](const std::string &x, const std::string &y, const std::string &z) {
      return "2*" + wave("sin", x, y) + "*" + wave("cos", z, x) + "*" +
             grow("(" + y + "+" + z + ")");
    };
    const std::string pressure = "-pi^2/32*(" + grow("2*x") + "+" + grow("2*y") + "+" +
                                 grow("2*z") + "+" + product("x", "y", "z") + "+" +
                                 product("y", "z", "x") + "+" + product("z", "x", "y") + ")" +
                                 decay + decay;
    const std::string derivatives =
      "-" + a + "*" + a + "*(" + grow("x") + "*" + wave("sin", "y", "z") + "-" + grow("z") + "*" +
      wave("sin", "x", "y") + ")" + decay + ";-" + a + "*(" + d + "*" + grow("y") + "*" +
      wave("cos", "z", "x") + "+" + a + "*" + grow("x") + "*" + wave("cos", "y", "z") + ")" +
      decay + ";-" + a + "*(" + a + "*" + grow("z") + "*" + wave("cos", "x", "y") + "-" + d + "*" +
      grow("y") + "*" + wave("sin", "z", "x") + ")" + decay;
    return {1.,
            component("x", "y", "z") + ";" + component("y", "z", "x") + ";" +
              component("z", "x", "y"),
            pressure,
            derivatives};
  }

  template <int dim>
  FieldFunction<dim>
  expression(const std::string &text, const unsigned int n_components)
  {
    return Expression(dim, text, n_components);
  }

  template <int dim>
  struct Setting
  {
    unsigned int                                     degree, n; ///< subdivisions in each direction
    unsigned int                                     n_refinements;
    double                                           dt, end;
    double                                           tolerance = 1e-11; ///< of linear systems
    typename IncompressibleFlow<dim>::AdditionalData data      = {};
  };

  struct Errors
  {
    double velocity, pressure;
    double iterations; ///< of the pressure, a step
  };

  template <int dim>
  Errors
  errors(const Flow &exact, Setting<dim> run, const Device device)
  {
    Triangulation<dim> triangulation;
    Point<dim>         first, second;
    for (unsigned int d = 0; d < dim; ++d)
      {
        first[d]  = -0.5;
        second[d] = 0.5;
      }
    Saltus::GridGenerator::box<dim>(
      triangulation, first, second, std::vector<unsigned int>(dim, run.n), 0.1);
    triangulation.refine_global(run.n_refinements);
    const MappingFE<dim> mapping(FE_SimplexP<dim>(1));
    DoFHandler<dim>      velocity(triangulation), pressure(triangulation);
    velocity.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(run.degree), dim));
    pressure.distribute_dofs(FE_SimplexDGModal<dim>(run.degree));

    const auto                  u = expression<dim>(exact.velocity, dim);
    const auto                  p = expression<dim>(exact.pressure, 1);
    FlowBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (id == 1)
        conditions.set_outflow(id, p, expression<dim>(exact.normal_derivative, dim));
      else
        conditions.set_velocity(id, u);

    run.data.viscosity                 = exact.viscosity;
    run.data.velocity_solver.tolerance = run.data.pressure_solver.tolerance = run.tolerance;
    IncompressibleFlow<dim> flow;
    flow.reinit(std::make_shared<const ElementMesh<dim>>(mapping, triangulation),
                velocity,
                pressure,
                conditions,
                device,
                run.data);
    for (unsigned int i = run.data.order; i-- > 0;)
      flow.set_state(-(i * run.dt), u, p);
    const unsigned int n_steps      = std::lround(run.end / run.dt);
    unsigned int       n_iterations = 0;
    for (unsigned int i = 0; i < n_steps; ++i)
      n_iterations += flow.step(run.dt).pressure.iterations;
    EXPECT_NEAR(flow.time(), run.end, 1e-12);

    const auto error = [&](const DoFHandler<dim> &dof_handler,
                           const auto            &space,
                           const auto            &x,
                           const Expression      &exact) {
      return l2_error(mapping, dof_handler, solution_vector(dof_handler, space, x), exact, run.end);
    };
    return {error(velocity, flow.operators().velocity_space(), flow.velocity(), *u.expression),
            error(pressure, flow.operators().pressure_space(), flow.pressure(), *p.expression),
            double(n_iterations) / n_steps};
  }

  class IncompressibleFlowTest : public Tests::OnDevice
  {
  protected:
    /// On a mesh and the one that is twice as fine. Steps are so short that the error in time is
    /// below the one in space.
    template <int dim>
    void
    expect_rates(const Flow &exact, Setting<dim> run) const
    {
      run.data.order      = 3;
      const Errors coarse = errors<dim>(exact, run, device());
      ++run.n_refinements;
      const Errors fine     = errors<dim>(exact, run, device());
      const double velocity = std::log2(coarse.velocity / fine.velocity);
      const double pressure = std::log2(coarse.pressure / fine.pressure);
      std::cout << "N = " << run.degree << ": velocity " << fine.velocity << ", rate " << velocity
                << "; pressure " << fine.pressure << ", rate " << pressure << std::endl;
      EXPECT_GT(velocity, run.degree + 0.75);
      EXPECT_GT(pressure, run.degree - 0.25);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(IncompressibleFlowTest)

TEST_P(IncompressibleFlowTest, VorticesInSpace)
{
  // With pressure order 2 fewer steps would do, but it is unstable: an error that grows on the
  // coarse mesh looks like a high rate.
  for (const Setting<2> &run : {Setting<2>{1, 3, 2, 1e-3, 0.02},
                                {2, 3, 2, 1e-3, 0.02},
                                {3, 3, 2, 5e-4, 0.02},
                                {4, 3, 1, 2.5e-4, 0.02},
#ifndef DEBUG // many steps
                                {5, 3, 1, 1.25e-4, 0.02},
                                {6, 3, 1, 2e-5, 0.005, 1e-12}
#endif
       })
    expect_rates<2>(vortices, run);
}

/// Penalties vanish with the mesh size as fast as the error.
TEST_P(IncompressibleFlowTest, VorticesInSpaceWithPenalties)
{
  for (unsigned int degree = 2; degree <= 3; ++degree)
    {
      Setting<2> run{degree, 3, 2, 1e-3, 0.02};
      run.data.divergence_penalty = run.data.continuity_penalty = 1.;
      run.data.penalty_solver.tolerance                         = 1e-11;
      expect_rates<2>(vortices, run);
    }
}

TEST_P(IncompressibleFlowTest, BeltramiFlowInSpace)
{
#ifdef DEBUG // with deal.II's assertions the errors of the highest degree take minutes
  constexpr unsigned int max_degree = 2;
#else
  constexpr unsigned int max_degree = 4;
#endif
  for (unsigned int degree = 1; degree <= max_degree; ++degree)
    {
      Setting<3> run{degree, 3, 0, 1e-3, 0.005};
      run.data.pressure_order = 2; // in so few steps stable
      expect_rates<3>(beltrami_flow(), run);
    }
}

/// With and without subcycles.
TEST_P(IncompressibleFlowTest, VorticesInTime)
{
  struct Scheme
  {
    unsigned int order, n_subcycles;
    double       subcycle_cfl = 0.;
  };
  for (const Scheme scheme :
       {Scheme{1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {2, 4}, {2, 8}, {2, 0, 0.3}, {3, 0}, {3, 2}})
    {
      // Above the error in space, and small enough that the rate shows.
      const double dt = std::array<double, 3>{0.005, 0.01, 0.02}[scheme.order - 1];
      Setting<2>   run{8, 3, 0, dt, 10 * dt};
      run.data.order          = scheme.order;
      run.data.pressure_order = scheme.order - 1;
      run.data.n_subcycles    = scheme.n_subcycles;
      run.data.subcycle_cfl   = scheme.subcycle_cfl;
      const Errors coarse     = errors<2>(vortices, run, device());
      run.dt                  = dt / 2;
      const Errors fine       = errors<2>(vortices, run, device());
      const double velocity   = std::log2(coarse.velocity / fine.velocity);
      const double pressure   = std::log2(coarse.pressure / fine.pressure);
      std::cout << "order " << scheme.order << ", " << scheme.n_subcycles
                << " subcycles, CFL number " << scheme.subcycle_cfl << ": velocity "
                << fine.velocity << ", rate " << velocity << "; pressure " << fine.pressure
                << ", rate " << pressure << std::endl;
      EXPECT_GT(velocity, scheme.order - 0.2);
    }
}

/// First guesses from earlier solutions.
TEST_P(IncompressibleFlowTest, KnownSolutionsSaveIterations)
{
  Setting<2>   run{4, 4, 0, 0.005, 0.2, 1e-6};
  const Errors with          = errors<2>(vortices, run, device());
  run.data.n_known_solutions = 0;
  const Errors without       = errors<2>(vortices, run, device());
  std::cout << "iterations a step: " << with.iterations << ", without known solutions "
            << without.iterations << std::endl;
  EXPECT_LT(with.iterations, 2. / 3. * without.iterations);
  EXPECT_NEAR(with.velocity, without.velocity, 1e-2 * without.velocity);
}

TEST_P(IncompressibleFlowTest, TooLongSteps)
{
  const Setting<2> run{4, 4, 0, 0.1, 2.};
  const auto       message = Tests::message_of([&]() { errors<2>(vortices, run, device()); });
  EXPECT_TRUE(Tests::contains(message, "has the CFL number")) << message;
  EXPECT_TRUE(Tests::contains(message, "shorter steps or subcycles")) << message;
}
