// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

#include <saltus/solvers/runge_kutta.h>

namespace Saltus::ConservationLaw
{
  using namespace dealii;

  void
  EquationParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.declare_entry("Type",
                      "Euler",
                      Patterns::Selection("Euler|advection"),
                      "The conservation law.");
    prm.declare_entry("Dimension", "2", Patterns::Integer(2, 3), "Space dimension: 2 or 3.");
    prm.declare_entry("Heat capacity ratio",
                      "1.4",
                      Patterns::Double(1.),
                      "Gamma of the ideal gas, above 1 (Euler).");
    prm.declare_entry("Numerical flux",
                      "HLLC",
                      Patterns::Selection("HLLC|Lax-Friedrichs"),
                      "Riemann solver (Euler); advection uses the upwind flux.");
    prm.declare_entry("Velocity",
                      "",
                      Patterns::Anything(),
                      "Advection: expressions of the velocity's components, separated by ';'.");
    prm.leave_subsection();
  }


  EquationParameters::EquationParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    type           = prm.get("Type");
    dim            = prm.get_integer("Dimension");
    gamma          = prm.get_double("Heat capacity ratio");
    numerical_flux = prm.get("Numerical flux");
    velocity       = prm.get("Velocity");
    prm.leave_subsection();
    AssertThrow(gamma > 1.,
                ExcMessage(
                  "Equation/Heat capacity ratio = 1 is not accepted: it must be above 1."));
  }


  void
  DiscretizationParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Discretization");
    prm.declare_entry("Degree", "2", Patterns::Integer(0, 7), "Polynomial degree.");
    prm.declare_entry("Precision",
                      "double",
                      Patterns::Selection("double|float"),
                      "Of the computation: double (16 digits) or float (7 digits, faster).");
    prm.declare_entry(
      "Quadrature increase",
      "0",
      Patterns::Integer(0, 6),
      "Added to the degrees 2p and 2p+1 that volume and face quadrature integrate exactly.");
    prm.declare_entry("Limiter",
                      "none",
                      Patterns::Selection("none|Barth-Jespersen"),
                      "Applied after every stage; for degree 1.");
    prm.declare_entry("Cycles",
                      "1",
                      Patterns::Integer(1, 12),
                      "Runs, each on a mesh refined once more.");
    prm.leave_subsection();
  }


  DiscretizationParameters::DiscretizationParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Discretization");
    degree              = prm.get_integer("Degree");
    single_precision    = prm.get("Precision") == "float";
    quadrature_increase = prm.get_integer("Quadrature increase");
    limit               = prm.get("Limiter") != "none";
    n_cycles            = prm.get_integer("Cycles");
    prm.leave_subsection();
    AssertThrow(!limit || degree == 1,
                ExcMessage("Discretization/Limiter = Barth-Jespersen is for degree 1, not for "
                           "Discretization/Degree = " +
                           std::to_string(degree) + "."));
  }


  void
  TimeParameters::declare(ParameterHandler &prm)
  {
    const Patterns::Double not_negative(0.);
    prm.enter_subsection("Time");
    prm.declare_entry("Scheme",
                      "LSRK45",
                      Patterns::Selection(RungeKutta::names()),
                      "Runge-Kutta scheme.");
    prm.declare_entry("CFL number",
                      "0.7",
                      not_negative,
                      "Step size in inscribed diameters over wave speed and 2p+1; 0: fixed steps.");
    prm.declare_entry("Step size",
                      "1e300",
                      not_negative,
                      "Upper bound of the step size, or the fixed size.");
    prm.declare_entry("End time", "1", not_negative, "Stop at this time.");
    prm.declare_entry(
      "Steps",
      "1000000000",
      Patterns::Integer(0),
      "Stop the run after this many steps of a cycle, those before a restart counted.");
    prm.declare_entry("Steady tolerance",
                      "0",
                      not_negative,
                      "Stop when no coefficient changes by more in a step (looked at every 100 "
                      "steps); 0: never.");
    prm.leave_subsection();
  }


  TimeParameters::TimeParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Time");
    scheme                 = prm.get("Scheme");
    cfl                    = prm.get_double("CFL number");
    max_dt                 = prm.get_double("Step size");
    end                    = prm.get_double("End time");
    n_steps                = prm.get_integer("Steps");
    steady_tolerance       = prm.get_double("Steady tolerance");
    const bool no_size_set = prm.get("Step size") == "1e300";
    prm.leave_subsection();
    AssertThrow(max_dt > 0.,
                ExcMessage("Time/Step size = 0 is not accepted: it must be a positive number."));
    AssertThrow(cfl > 0. || !no_size_set,
                ExcMessage("Time/CFL number = 0 asks for steps of the fixed size Time/Step size, "
                           "which is not set. Give it, or a positive CFL number."));
  }
} // namespace Saltus::ConservationLaw
