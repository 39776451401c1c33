// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Incompressible flow: the errors of decaying vortices fall as the theory says, in space and time.
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/dg_element.h>
#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/io/results/error_table.h>
#include <saltus/mesh/curve/map_nodes.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/solvers/flow/flow_step_size.h>
#include <saltus/solvers/flow/incompressible_flow.h>

#include <array>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// A solution of the equations in the box [-1/2, 1/2]^dim and what holds on its sides: the
  /// velocity on all but x = 1/2, where the fluid leaves, or slip on all.
  struct Flow
  {
    double      viscosity;
    std::string velocity, pressure, normal_derivative;
    bool        slips = false;
  };

  /// Vortices between walls that they do not cross.
  const Flow enclosed_vortices = {
    0.05,
    "sin(2*pi*x)*cos(2*pi*y)*exp(-8*pi^2*0.05*t); -cos(2*pi*x)*sin(2*pi*y)*exp(-8*pi^2*0.05*t)",
    "(cos(4*pi*x)+cos(4*pi*y))/4*exp(-16*pi^2*0.05*t)",
    "",
    true};

  /// Kovasznay's steady flow (Proc. Camb. Phil. Soc. 44, 1948) at Re = 40.
  const Flow kovasznay = {0.025,
                          "1-exp(-0.9637405441957703*x)*cos(2*pi*y);"
                          "-0.9637405441957703/(2*pi)*exp(-0.9637405441957703*x)*sin(2*pi*y)",
                          "-exp(-2*0.9637405441957703*x)/2",
                          "0.9637405441957703*exp(-0.9637405441957703*x)*cos(2*pi*y);"
                          "0.9637405441957703^2/(2*pi)*exp(-0.9637405441957703*x)*sin(2*pi*y)"};

  /// Taylor's vortices.
  const Flow vortices = {0.01,
                         "-sin(2*pi*y)*exp(-4*pi^2*0.01*t); sin(2*pi*x)*exp(-4*pi^2*0.01*t)",
                         "-cos(2*pi*x)*cos(2*pi*y)*exp(-8*pi^2*0.01*t)",
                         "0; 2*pi*cos(2*pi*x)*exp(-4*pi^2*0.01*t)"};

  /// A uniform stream that oscillates.
  const Flow oscillating_stream = {0.01, "1+sin(6*t)/2; 0.3", "-3*x*cos(6*t)", "0; 0"};

  /// A stream that a wall deflects, behind the domain; its strength oscillates. Fluid enters
  /// through three sides.
  const Flow oscillating_jet = {0.01,
                                "(1+sin(6*t)/2)*(x+1); -(1+sin(6*t)/2)*y",
                                "-3*cos(6*t)*((x+1)^2-y^2)/2-(1+sin(6*t)/2)^2*((x+1)^2+y^2)/2",
                                "1+sin(6*t)/2; 0"};

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
  struct FlowRun
  {
    unsigned int                                     degree, n; ///< subdivisions in each direction
    unsigned int                                     n_refinements;
    double                                           dt, end;
    double                                           tolerance = 1e-11; ///< of linear systems
    typename IncompressibleFlow<dim>::AdditionalData data      = unstabilized();
    bool has_equal_degrees = false; ///< or that of the pressure is one less
    /// Lengths of the steps that follow each other, times dt.
    std::vector<double> lengths = {1.};
    /// Instead of as many as the order asks for; then the first steps are shorter.
    bool begins_with_one_state = false;
    /// Elements around the origin are displaced, with maps of this degree; 1: they are not.
    unsigned int map_degree = 1;
    /// On quadrilaterals or hexahedra; perhaps with hanging nodes.
    bool on_hypercubes = false, hangs = false;

    static typename IncompressibleFlow<dim>::AdditionalData
    unstabilized()
    {
      typename IncompressibleFlow<dim>::AdditionalData result;
      result.divergence_penalty = result.continuity_penalty = 0.;
      result.operators.backflow_stabilization               = 0.; // exact solutions come in
      return result;
    }
  };

  struct Errors
  {
    double velocity, pressure;
    double iterations; ///< of the pressure, a step
  };

  template <int dim>
  Errors
  errors(const Flow &exact, FlowRun<dim> run, const Device device)
  {
    Triangulation<dim>              triangulation;
    const Point<dim>                second(0.5 * far_corner<dim>());
    const std::vector<unsigned int> subdivisions(dim, run.n);
    if (run.on_hypercubes)
      {
        dealii::GridGenerator::subdivided_hyper_rectangle(
          triangulation, subdivisions, -second, second, true);
        GridTools::distort_random(0.1, triangulation);
        if (run.hangs)
          refine_some(triangulation);
      }
    else
      Saltus::GridGenerator::box<dim>(triangulation, -second, second, subdivisions, 0.1);
    if (run.map_degree > 1)
      {
        const Bump<dim> bump(Point<dim>(), 0.5, 0.08);
        GridTools::transform([&](const Point<dim> &x) { return bump.push_forward(x); },
                             triangulation);
        triangulation.set_all_manifold_ids(0);
        triangulation.set_manifold(0, bump);
      }
    triangulation.refine_global(run.n_refinements);
    const std::unique_ptr<const Mapping<dim>> map =
      run.on_hypercubes
        ? MappingQ<dim>(1).clone()
        : MappingFE<dim>(FE_SimplexNodes<dim>(run.map_degree, map_nodes<dim>(run.map_degree)))
            .clone();
    const Mapping<dim> &mapping = *map;
    DoFHandler<dim>     velocity(triangulation), pressure(triangulation);
    const auto          fe = [&](const unsigned int degree) {
      return dg_element<dim>(triangulation.begin()->reference_cell(), degree);
    };
    velocity.distribute_dofs(FESystem<dim>(*fe(run.degree), dim));
    pressure.distribute_dofs(*fe(run.degree - (run.has_equal_degrees ? 0 : 1)));

    const auto                  u = expression<dim>(exact.velocity, dim);
    const auto                  p = expression<dim>(exact.pressure, 1);
    FlowBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (exact.slips)
        conditions.set_slip(id);
      else if (id == 1)
        conditions.set_outflow(id, p, expression<dim>(exact.normal_derivative, dim));
      else
        conditions.set_velocity(id, u);

    run.data.viscosity                        = exact.viscosity;
    run.data.velocity_solver.tolerance        = run.data.pressure_solver.tolerance =
      run.data.stabilization_solver.tolerance = run.tolerance;
    IncompressibleFlow<dim> flow;
    flow.reinit(run.on_hypercubes ? make_mesh(mapping, triangulation)
                                  : make_curved_mesh(mapping, triangulation, run.map_degree),
                velocity,
                pressure,
                conditions,
                device,
                run.data);
    for (unsigned int i = run.begins_with_one_state ? 1 : run.data.order; i-- > 0;)
      flow.set_state(-(i * run.dt), u, p);
    const FlowStepSize step_size{run.dt, 0., run.data.order, run.begins_with_one_state};
    unsigned int       n_steps = 0, n_iterations = 0;
    for (double last = 0.; run.end - flow.time() > 1e-9 * run.dt; ++n_steps)
      {
        last = step_size.next(n_steps, last, 0., run.end - flow.time());
        if (!run.begins_with_one_state)
          last = run.dt * run.lengths[n_steps % run.lengths.size()];
        n_iterations += flow.step(last).pressure.iterations;
      }
    EXPECT_NEAR(flow.time(), run.end, 1e-12);

    const auto error = [&](const DoFHandler<dim> &dof_handler,
                           const auto            &space,
                           const auto            &x,
                           const Expression      &exact,
                           const ErrorComponents &components) {
      return l2_error(
        mapping, dof_handler, solution_vector(dof_handler, space, x), exact, run.end, components);
    };
    return {
      error(velocity, flow.operators().velocity_space(), flow.velocity(), *u.expression, {0, dim}),
      error(pressure,
            flow.operators().pressure_space(),
            flow.pressure(),
            *p.expression,
            {0, 1, !flow.determines_pressure()}),
      double(n_iterations) / n_steps};
  }

  struct Rates
  {
    double velocity, pressure;
  };

  Rates
  rates(const Errors &coarse, const Errors &fine)
  {
    return {std::log2(coarse.velocity / fine.velocity), std::log2(coarse.pressure / fine.pressure)};
  }

  void
  print(const std::string &what, const Errors &errors, const Rates &rates)
  {
    std::cout << what << ": velocity " << errors.velocity << ", rate " << rates.velocity
              << "; pressure " << errors.pressure << ", rate " << rates.pressure << std::endl;
  }

  class IncompressibleFlowTest : public OnDevice
  {
  protected:
    /// On a mesh and the one that is twice as fine. Steps are so short that the error in time is
    /// below the one in space.
    template <int dim>
    void
    expect_rates(const Flow &exact, FlowRun<dim> run) const
    {
      run.data.order      = 3;
      const Errors coarse = errors<dim>(exact, run, device());
      ++run.n_refinements;
      const Errors fine = errors<dim>(exact, run, device());
      const Rates  rate = rates(coarse, fine);
      print("N = " + std::to_string(run.degree), fine, rate);
      // Pressures of a lower degree leave larger errors in the velocities of coarse meshes.
      EXPECT_GT(rate.velocity, run.degree + (run.has_equal_degrees ? 0.75 : 0.6));
      EXPECT_GT(rate.pressure, run.degree - 0.25);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(IncompressibleFlowTest)

TEST_P(IncompressibleFlowTest, VorticesInSpace)
{
  // With pressure order 2 fewer steps would do, but it is unstable: an error that grows on the
  // coarse mesh looks like a high rate.
  for (FlowRun<2> run : {FlowRun<2>{1, 3, 2, 1e-3, 0.02},
                         {2, 3, 2, 1e-3, 0.02},
                         {3, 3, 2, 5e-4, 0.02},
                         {4, 3, 1, 2.5e-4, 0.02},
#ifndef DEBUG // many steps
                         {5, 3, 1, 1.25e-4, 0.01},
                         {6, 3, 1, 2e-5, 0.001, 1e-12}
#endif
       })
    {
      run.has_equal_degrees = true;
      expect_rates<2>(vortices, run);
      // A pressure of one degree less has at least 1.
      run.has_equal_degrees = false;
      if (run.degree > 1 && run.degree < 5)
        expect_rates<2>(vortices, run);
    }
}

/// Penalties vanish with the mesh size as fast as the error.
TEST_P(IncompressibleFlowTest, VorticesInSpaceWithStabilization)
{
  for (unsigned int degree = 2; degree <= 3; ++degree)
    {
      FlowRun<2> run{degree, 3, 2, 1e-3, 0.02};
      run.data.divergence_penalty = run.data.continuity_penalty = 1.;
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
      FlowRun<3> run{degree, degree < 4 ? 3u : 2u, 0, 1e-3, 0.005};
      run.has_equal_degrees   = degree == 1;
      run.data.pressure_order = 2; // in so few steps stable
      expect_rates<3>(beltrami_flow(), run);
    }
}

TEST_P(IncompressibleFlowTest, CurvedElementsInSpace)
{
  for (unsigned int degree = 2; degree <= 3; ++degree)
    {
      FlowRun<2> run{degree, 6, 1, 5e-4, 0.01};
      run.map_degree        = degree + 1;
      run.has_equal_degrees = true;
      expect_rates<2>(vortices, run);
    }
  FlowRun<3> run{2, 4, 0, 1e-3, 0.005};
  run.map_degree          = 3;
  run.data.pressure_order = 2;
  expect_rates<3>(beltrami_flow(), run);
}

/// Also where cells of different sizes meet, with penalties, and on hexahedra.
TEST_P(IncompressibleFlowTest, HypercubesInSpace)
{
  for (FlowRun<2> run : {FlowRun<2>{2, 3, 2, 1e-3, 0.02}, {3, 3, 1, 5e-4, 0.01}})
    {
      run.on_hypercubes = true;
      expect_rates<2>(vortices, run);
    }
  FlowRun<2> hanging{3, 3, 0, 5e-4, 0.01};
  hanging.on_hypercubes = hanging.hangs = true;
  hanging.data.divergence_penalty = hanging.data.continuity_penalty = 1.;
  expect_rates<2>(vortices, hanging);
  FlowRun<3> run{2, 2, 0, 1e-3, 0.005};
  run.on_hypercubes       = true;
  run.data.pressure_order = 2;
  expect_rates<3>(beltrami_flow(), run);
}

/// Between walls, with and without subcycles, with equal and unequal steps, from all states that
/// the order asks for or from one.
TEST_P(IncompressibleFlowTest, VorticesInTime)
{
  struct Scheme
  {
    unsigned int        order, n_subcycles;
    double              subcycle_cfl = 0.;
    std::vector<double> lengths      = {1.};
    bool                one_state    = false;
  };
  const std::vector<double> unequal = {0.8, 1.2};
  for (const Scheme &scheme : {Scheme{1, 0},
                               {1, 2},
                               {2, 0},
                               {2, 1},
                               {2, 4},
                               {2, 0, 0.3},
                               {2, 0, 0., unequal},
                               {2, 2, 0., unequal},
                               {2, 0, 0., {1.}, true},
                               {2, 2, 0., {1.}, true},
                               {3, 0},
                               {3, 2},
                               {3, 0, 0., unequal},
                               {3, 2, 0., unequal},
                               {3, 0, 0., {1.}, true}})
    {
      // Above the error in space, and small enough that the rate shows.
      const double dt = std::array<double, 3>{0.005, 0.01, 0.02}[scheme.order - 1];
      FlowRun<2>   run{8, 3, 0, dt, 10 * dt};
      run.data.order            = scheme.order;
      run.data.pressure_order   = scheme.order - 1; // in so few steps stable
      run.data.n_subcycles      = scheme.n_subcycles;
      run.data.subcycle_cfl     = scheme.subcycle_cfl;
      run.lengths               = scheme.lengths;
      run.begins_with_one_state = scheme.one_state;
      const Errors coarse       = errors<2>(enclosed_vortices, run, device());
      run.dt                    = dt / 2;
      const Errors fine         = errors<2>(enclosed_vortices, run, device());
      const Rates  rate         = rates(coarse, fine);
      print("order " + std::to_string(scheme.order) + ", " + std::to_string(scheme.n_subcycles) +
              " subcycles, CFL number " + std::to_string(scheme.subcycle_cfl) +
              (scheme.lengths.size() > 1 ? ", unequal steps" : "") +
              (scheme.one_state ? ", from one state" : ""),
            fine,
            rate);
      // From one state, the start makes the few coarse steps more accurate.
      EXPECT_GT(rate.velocity, scheme.order - (scheme.one_state ? 0.5 : 0.2));
      EXPECT_GT(rate.pressure, scheme.order - 0.5);
    }
}

/// Fluid that is accelerated where it enters, in time and in space, in subcycles. It passes more
/// than an element in a step: else elements would average errors that alternate along its path.
TEST_P(IncompressibleFlowTest, AcceleratedInflowInTime)
{
  // Steps of the jet are long for its changes: shorter ones have higher rates.
  for (const auto &[flow, least] :
       {std::make_pair(oscillating_stream, 1.8), std::make_pair(oscillating_jet, 1.5)})
    for (const bool on_hypercubes : {false, true})
      {
        FlowRun<2> run{3, 16, 0, 0.05, 0.3};
        run.on_hypercubes     = on_hypercubes;
        run.tolerance         = 1e-9;
        run.data.subcycle_cfl = 0.5;
        const Errors coarse   = errors<2>(flow, run, device());
        run.dt /= 2.;
        const Errors fine = errors<2>(flow, run, device());
        const Rates  rate = rates(coarse, fine);
        print(on_hypercubes ? "quadrilaterals" : "triangles", fine, rate);
        EXPECT_GT(rate.velocity, least);
        EXPECT_GT(rate.pressure, 1.5);
      }
}

/// What a steady flow is does not depend on the steps that lead there, and its errors fall as those
/// of its polynomials.
TEST_P(IncompressibleFlowTest, SteadyFlow)
{
  for (const unsigned int degree : {2, 3})
    {
      FlowRun<2>   run{degree, 3, 0, 0.004, 2.};
      const Errors coarse = errors<2>(kovasznay, run, device());
      run.dt              = 0.001;
      const Errors slowly = errors<2>(kovasznay, run, device());
      std::cout << "degree " << degree << ": velocity " << coarse.velocity << ", pressure "
                << coarse.pressure << "; with steps of a quarter " << slowly.velocity << ", "
                << slowly.pressure << std::endl;
      EXPECT_NEAR(slowly.velocity, coarse.velocity, 1e-3 * coarse.velocity);
      EXPECT_NEAR(slowly.pressure, coarse.pressure, 1e-3 * coarse.pressure);
      run.dt            = 0.002;
      run.n_refinements = 1;
      const Errors fine = errors<2>(kovasznay, run, device());
      EXPECT_GT(rates(coarse, fine).velocity, degree + 0.5);
      EXPECT_GT(rates(coarse, fine).pressure, degree - 0.1);
    }
}

/// First guesses from earlier solutions.
TEST_P(IncompressibleFlowTest, KnownSolutionsSaveIterations)
{
  FlowRun<2>   run{5, 4, 0, 0.005, 0.2, 1e-6};
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
  const FlowRun<2> run{4, 4, 0, 0.1, 2.};
  const auto       message = message_of([&]() { errors<2>(vortices, run, device()); });
  EXPECT_TRUE(contains(message, "has the CFL number"));
  EXPECT_TRUE(contains(message, "shorter steps or subcycles"));
}
