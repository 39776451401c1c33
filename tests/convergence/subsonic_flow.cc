// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Steady subsonic flows between an inlet with total pressure and temperature and an outlet with a
// pressure.
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <cmath>
#include <helpers/l2_error.h>
#include <helpers/on_device.h>
#include <helpers/quarter_annulus.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Operator     = ConservationLawOperator<2, Euler<2>>;
  using SubsonicFlow = OnDevice;

  // The potential vortex between arcs, with Mach number 0.5 and sound speed 1 on the inner one. Its
  // entropy and total enthalpy are the same everywhere.
  const std::string rho = "(1+0.05*(1-1/(x*x+y*y)))^2.5";
  const std::string vortex =
    rho + "; 0.5*y/(x*x+y*y); -0.5*x/(x*x+y*y); (1+0.05*(1-1/(x*x+y*y)))^3.5/1.4";

  /// L2 error of the density when the flow has come to rest.
  double
  vortex_error(const unsigned int degree, const unsigned int n_refinements, const Device device)
  {
    const QuarterAnnulus annulus(degree, n_refinements);

    BoundaryConditions<2> conditions;
    conditions.set_wall(0, true);
    conditions.set_wall(1, true);
    conditions.set_total_pressure_inlet(2, Expression(2, "1.05^3.5/1.4; 1.05/1.4; 1; 0", 4));
    conditions.set_pressure_outlet(3, Expression(2, "(1+0.05*(1-1/(x*x+y*y)))^3.5/1.4", 1));

    Operator op;
    op.reinit(annulus.mapping, annulus.dof_handler, Euler<2>(), conditions, device);
    auto u = zeros(op);
    op.project(FieldFunction<2>(Expression(2, vortex, 4), true), u);
    TimeClock                clock = op.make_clock(with_cfl(0.9, 5.));
    TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
    integrator.advance(u);
    return l2_error(annulus.mapping,
                    annulus.dof_handler,
                    to_dealii(op, u),
                    Expression(2, vortex, 4));
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SubsonicFlow)

TEST_P(SubsonicFlow, VortexConverges)
{
  for (unsigned int p = 1; p <= 3; ++p)
    {
      const double coarse = vortex_error(p, 0, device()), fine = vortex_error(p, 1, device());
      const double rate = std::log2(coarse / fine);
      std::cout << "p = " << p << ": errors " << coarse << " and " << fine << ", rate " << rate
                << std::endl;
      EXPECT_GT(rate, p + 0.75) << "p = " << p;
    }
}

/// From rest, inlet and outlet make the uniform flow that isentropic relations ask for.
TEST_P(SubsonicFlow, ChannelAdjustsToWhatIsGiven)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::box<2>(triangulation, {0., 0.}, {1., 0.5}, {4, 2}, 0.1);
  const MappingFE<2> mapping(FE_SimplexP<2>(1));
  DoFHandler<2>      dof_handler(triangulation);
  dof_handler.distribute_dofs(FESystem<2>(FE_SimplexDGModal<2>(1), 4));

  const double mach = 0.4, ratio = 1. + 0.2 * mach * mach, pressure = 1., temperature = 0.8;
  const auto   constant = [](const std::vector<double> &values) {
    return FieldFunction<2>(std::make_shared<Functions::ConstantFunction<2>>(values), true, false);
  };
  BoundaryConditions<2> conditions;
  conditions.set_total_pressure_inlet(
    0, constant({pressure * std::pow(ratio, 3.5), temperature * ratio, 1., 0.}));
  conditions.set_pressure_outlet(1, constant({pressure}));
  conditions.set_wall(2);
  conditions.set_wall(3);

  Operator op;
  op.reinit(mapping, dof_handler, Euler<2>(), conditions, device());
  auto u = zeros(op), expected = u;
  op.project(constant({pressure / temperature, 0., 0., pressure}), u);
  op.project(constant({pressure / temperature, mach * std::sqrt(1.4 * temperature), 0., pressure}),
             expected);
  TimeClock                clock = op.make_clock(with_cfl(0.9, 100.));
  TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
  integrator.advance(u);
  std::cout << "difference " << u.max_difference(expected) << std::endl;
  EXPECT_LT(u.max_difference(expected), 1e-8);
}
