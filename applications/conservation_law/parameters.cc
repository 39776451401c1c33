// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

#include <saltus/base/device/instruction_set.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/operators/conservation_law/highest_degree.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/runge_kutta.h>

#include "../common/riemann_solvers.h"
#include <algorithm>

namespace Saltus::ConservationLaw
{
  using namespace dealii;

  namespace
  {
    /// Largest degree for which any back end has kernels, the same for all laws.
    template <int dim>
    int
    largest_degree()
    {
      using Registry = KernelRegistry<ConservationLawKernels<Euler<dim>, double>>;
      const int compiled =
        std::max(Registry::cpu[instruction_set_level()].max_degree, Registry::cuda.max_degree);
      return highest_degree<dim, ElementShape::simplex>(compiled);
    }
  } // namespace


  void
  EquationParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.add_parameter("Type",
                      type,
                      "The conservation law.",
                      Patterns::Selection("Euler|Navier-Stokes|advection"));
    prm.add_parameter("Dimension", dim, "Space dimension: 2 or 3.", Patterns::Integer(2, 3));
    prm.add_parameter("Heat capacity ratio",
                      gamma,
                      "Gamma of the ideal gas, above 1." +
                        used_with("Equation/Type = Euler or Navier-Stokes"),
                      Patterns::Double(1.));
    prm.add_parameter("Viscosity",
                      transport.viscosity,
                      "Of the gas at the reference temperature, above 0 (Navier-Stokes).",
                      Patterns::Double(0.));
    prm.add_parameter("Prandtl number",
                      transport.prandtl,
                      "Viscosity times specific heat over heat conductivity." +
                        used_with("Equation/Type = Navier-Stokes"),
                      positive_numbers());
    add_choice(prm,
               "Viscosity law",
               transport.law,
               {{"constant", ViscosityLaw::constant},
                {"power", ViscosityLaw::power},
                {"Sutherland", ViscosityLaw::sutherland}},
               "How the viscosity depends on the temperature, pressure over density." +
                 used_with("Equation/Type = Navier-Stokes"));
    prm.add_parameter("Reference temperature",
                      transport.reference_temperature,
                      "At which the gas has the viscosity of that entry." +
                        used_with("Equation/Viscosity law = power or Sutherland"),
                      positive_numbers());
    prm.add_parameter("Viscosity exponent",
                      transport.exponent,
                      "The viscosity law power is this power of the temperature." +
                        used_with("Equation/Viscosity law = power"),
                      Patterns::Double(0.));
    prm.add_parameter("Sutherland temperature",
                      transport.sutherland_temperature,
                      "Of the viscosity law Sutherland, in the same unit as the others: for air "
                      "110.4 K." +
                        used_with("Equation/Viscosity law = Sutherland"),
                      Patterns::Double(0.));
    add_riemann_solver(prm, riemann_solver, used_with("Equation/Type = Euler or Navier-Stokes"));
    prm.add_parameter("Velocity",
                      velocity,
                      "Expressions of the velocity's components, separated by ';'." +
                        used_with("Equation/Type = advection"));
    prm.leave_subsection();
  }


  void
  EquationParameters::check() const
  {
    AssertThrow(gamma > 1.,
                ExcMessage(
                  "Equation/Heat capacity ratio = 1 is not accepted: it must be above 1."));
    const bool viscous = type == "Navier-Stokes";
    AssertThrow(viscous == (transport.viscosity > 0.),
                ExcMessage(viscous ? "Equation/Type = Navier-Stokes needs an Equation/Viscosity "
                                     "above 0."
                                   : "Equation/Viscosity is for Equation/Type = Navier-Stokes, "
                                     "not for " +
                                       type + "."));
  }


  void
  DiscretizationParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string with_viscosity = used_with("Discretization/Artificial viscosity above 0");
    DegreeAndCycles::add_parameters(
      prm, Patterns::Integer(0, std::max(largest_degree<2>(), largest_degree<3>())));
    prm.enter_subsection("Discretization");
    add_choice(prm,
               "Precision",
               single_precision,
               {{"double", false}, {"float", true}},
               "Of the computation: double (16 digits) or float (7 digits, faster).");
    prm.add_parameter(
      "Quadrature increase",
      quadrature_increase,
      "Added to the degrees 2p and 2p+1 that volume and face quadrature integrate exactly.",
      Patterns::Integer(0, 6));
    add_choice(prm,
               "Limiter",
               limiter,
               {{"none", Limiter::none},
                {"Barth-Jespersen", Limiter::barth_jespersen},
                {"positivity", Limiter::positivity}},
               "Applied after every stage: Barth-Jespersen for degree 1, positivity (Zhang and "
               "Shu), of density and pressure alone, for any degree.");
    prm.add_parameter(
      "Artificial viscosity",
      artificial_viscosity.strength,
      "For shocks at any degree from 1 on (Persson and Peraire): where the solution "
      "is not smooth, this times size over degree of the element and wave speed; 0: "
      "none. Try 0.5.",
      Patterns::Double(0.));
    add_choice(prm,
               "Artificial viscosity form",
               artificial_viscosity.continuous,
               {{"by element", false}, {"continuous", true}},
               "Of the artificial viscosity: a number an element, or a continuous function, which "
               "has at each vertex the largest of the elements around it." +
                 with_viscosity);
    prm.add_parameter("Sensor shift",
                      artificial_viscosity.shift,
                      "Artificial viscosity begins where the part of the highest modes in the "
                      "first component, as a power of 10, exceeds -4 log10(degree), plus this, "
                      "less the width." +
                        with_viscosity);
    prm.add_parameter("Sensor width",
                      artificial_viscosity.width,
                      "It is full where that is exceeded by as much." + with_viscosity,
                      positive_numbers());
    prm.leave_subsection();
  }


  void
  DiscretizationParameters::check() const
  {
    AssertThrow(limiter != Limiter::barth_jespersen || degree == 1,
                ExcMessage("Discretization/Limiter = Barth-Jespersen is for degree 1, not for "
                           "Discretization/Degree = " +
                           std::to_string(degree) +
                           ": there take positivity, with Discretization/Artificial viscosity."));
    AssertThrow(artificial_viscosity.strength == 0. || degree > 0,
                ExcMessage(
                  "Discretization/Artificial viscosity is for Discretization/Degree = 1 or "
                  "above."));
  }


  void
  TimeParameters::add_parameters(ParameterHandler &prm)
  {
    const Patterns::Double not_negative(0.);
    prm.enter_subsection("Time");
    prm.add_parameter("Scheme",
                      scheme,
                      "Runge-Kutta scheme.",
                      Patterns::Selection(RungeKutta::names()));
    prm.add_parameter("CFL number",
                      cfl,
                      "Step size in inscribed diameters over wave speed and 2p+1; 0: fixed steps. "
                      "Empty: 0.8 R / E. R is 2, 2.5, 2.75, 4.65 for SSP2, SSP3, RK4, LSRK45. "
                      "E is 3.75 on triangles (from degree 6 on 0.5 + 0.6 p), 6 on tetrahedra, "
                      "0.92 d (p+1)(p+2)/(2p+1) on quadrilaterals and hexahedra.",
                      Patterns::List(not_negative, 0, 1));
    prm.add_parameter("Step size",
                      max_dt,
                      "Upper bound of the step size, or the fixed size.",
                      positive_numbers());
    prm.add_parameter("Local steps",
                      local_steps,
                      "For steady flows: every element takes the step that it could take alone. "
                      "Time is then that of the shortest steps.");
    prm.add_parameter("Stop at residual",
                      residual_tolerance,
                      "Stop when the L2 norm of the first component's time derivative, looked at "
                      "every 100 steps, has fallen to this part of that of the initial state; 0: "
                      "never. If the initial state has none, that after 100 steps counts.",
                      Patterns::Double(0., 1.));
    prm.add_parameter(
      "Start degrees",
      start_degrees,
      "Degrees below that of the discretization, rising: the flow is advanced with "
      "them first, one after the other, which takes a steady flow less time. Time 0 "
      "is the end of that; a run that is stopped before leaves no checkpoint.",
      Patterns::List(Patterns::Integer(1)));
    prm.add_parameter("Start steps",
                      start_steps,
                      "At most so many steps with each of them; fewer if the state is steady, see "
                      "Stop at steady state and Stop at residual." +
                        used_with("Time/Start degrees given"),
                      Patterns::Integer(1));
    prm.leave_subsection();
    add_end(prm);
    add_wall_time_limit(prm);
  }


  void
  TimeParameters::check(const unsigned int degree) const
  {
    for (unsigned int i = 0; i < start_degrees.size(); ++i)
      AssertThrow(start_degrees[i] < (i + 1 < start_degrees.size() ? start_degrees[i + 1] : degree),
                  ExcMessage("Time/Start degrees = " + Patterns::Tools::to_string(start_degrees) +
                             " do not rise to less than Discretization/Degree = " +
                             std::to_string(degree) + "."));
    const bool is_fixed = !cfl.empty() && cfl[0] == 0.;
    AssertThrow(!is_fixed || max_dt != unlimited,
                ExcMessage("Time/CFL number = 0 asks for steps of the fixed size Time/Step size, "
                           "which is not set. Give it, or a positive CFL number."));
    AssertThrow(!local_steps || !is_fixed,
                ExcMessage("Time/Local steps = true needs a positive Time/CFL number, which says "
                           "how long they are."));
    check_step_size(max_dt);
    if (!cfl.empty())
      note_large_cfl(cfl[0]);
  }


  void
  Parameters::add_parameters(ParameterHandler &prm)
  {
    equation.add_parameters(prm);
    mesh.add_parameters(prm);
    discretization.add_parameters(prm);
    functions.add_parameters(prm);
    time.add_parameters(prm);
    adaptivity.add_parameters(prm);
    RunParameters::add_parameters(prm);
  }


  void
  Parameters::check() const
  {
    equation.check();
    discretization.check();
    AssertThrow(equation.transport.viscosity == 0. || discretization.degree > 0,
                ExcMessage("Equation/Type = Navier-Stokes is for Discretization/Degree = 1 or "
                           "above."));
    const unsigned int largest = equation.dim == 2 ? largest_degree<2>() : largest_degree<3>();
    AssertThrow(discretization.degree <= largest,
                ExcMessage("Discretization/Degree = " + std::to_string(discretization.degree) +
                           " is not accepted in " + std::to_string(equation.dim) +
                           "D: it must be at most " + std::to_string(largest) + "."));
    time.check(discretization.degree);
    adaptivity.check_run(mesh.cells,
                         mesh.n_refinements + discretization.n_cycles - 1,
                         average.is_at_points());
    AssertThrow(mesh.cells == "simplices" || discretization.limiter != Limiter::barth_jespersen,
                ExcMessage("Discretization/Limiter = Barth-Jespersen is for triangles and "
                           "tetrahedra: with Mesh/Cells = " +
                           mesh.cells + " set it to positivity or none."));
    mesh.check_dimension(equation.dim);
    RunParameters::check(time);
  }
} // namespace Saltus::ConservationLaw
