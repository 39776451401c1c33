// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/operators/flow/kernels/flow_launcher.h>

#include <algorithm>
#include <sstream>

namespace Saltus::FlowProgram
{
  using namespace dealii;

  void
  EquationParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.add_parameter("Dimension", dim, "Space dimension: 2 or 3.", Patterns::Integer(2, 3));
    prm.add_parameter("Viscosity",
                      viscosity,
                      "Kinematic viscosity nu, positive.",
                      positive_numbers());
    prm.leave_subsection();
  }


  void
  DiscretizationParameters::add_parameters(ParameterHandler &prm)
  {
    DegreeAndCycles::add_parameters(
      prm, Patterns::Integer(1, std::max(max_flow_degree(2), max_flow_degree(3))));
    prm.enter_subsection("Discretization");
    add_choice(
      prm,
      "Pressure degree",
      has_equal_degrees,
      {{"one less", false}, {"equal", true}},
      "Beside the velocity's; at least 1. With equal degrees pressures that oscillate from "
      "element to element are damped the less the shorter the steps are.");
    prm.add_parameter("Penalty factor",
                      penalty_factor,
                      "Of the viscous operator and the pressure's: times the penalty of which the "
                      "theory says that the form is positive.",
                      positive_numbers());
    prm.add_parameter(
      "Divergence penalty",
      divergence_penalty,
      "Factor zeta_D of a penalty on the divergence of the velocity after each "
      "step, against instability of under-resolved flows and of subcycles; 0: none, "
      "which spares a linear solve where the flow is resolved well.",
      Patterns::Double(0.));
    prm.add_parameter("Continuity penalty",
                      continuity_penalty,
                      "Factor zeta_C of one on the jumps of its normal component; likewise.",
                      Patterns::Double(0.));
    prm.add_parameter("Convection quadrature degree",
                      convection_degree,
                      "What the quadrature of convection integrates exactly; 0: 3p, the degree of "
                      "its products.",
                      Patterns::Integer(0, 30));
    prm.add_parameter("Backflow stabilization",
                      backflow_stabilization,
                      "Times the incoming flux of momentum at outflows, which is taken away; from "
                      "0.5 on it brings in no energy; 0: none.",
                      Patterns::Double(0.));
    prm.leave_subsection();
  }


  void
  TimeParameters::add_parameters(ParameterHandler &prm)
  {
    const Patterns::Double not_negative(0.);
    prm.enter_subsection("Time");
    prm.add_parameter("Order",
                      order,
                      "Of backward differentiation and of extrapolation.",
                      Patterns::Integer(1, 3));
    prm.add_parameter("Pressure order",
                      pressure_order,
                      "Earlier pressures from which the next one is extrapolated before the "
                      "velocity is computed. Steps have at most one order more than that; 2 is "
                      "stable only where friction is strong.",
                      Patterns::Integer(0, 2));
    prm.add_parameter("Subcycles",
                      n_subcycles,
                      "Steps of convection in a time step; 0: it is extrapolated.",
                      Patterns::Integer(0, 1000));
    prm.add_parameter("Subcycle CFL number",
                      subcycle_cfl,
                      "In place of their number: as many subcycles in each step that none has a "
                      "larger CFL number; 0: as Subcycles says.",
                      not_negative);
    prm.add_parameter("Step size",
                      max_dt,
                      "Upper bound of the step size, or the fixed size; steps may be a hundredth "
                      "longer to end where a picture or the end of the run is.",
                      positive_numbers());
    prm.add_parameter("CFL number",
                      cfl,
                      "Of a step, or of one of as many subcycles as Subcycles says: its length "
                      "times the velocity over the size of an element, times 2p+1 on simplices and "
                      "(p+1)(p+2)/2 on hypercubes; 0: fixed steps.",
                      not_negative);
    add_choice(prm,
               "Start",
               begins_with_exact_solution,
               {{"lower orders", false}, {"exact solution", true}},
               "How the first steps get earlier velocities: they do without, with lower orders and "
               "shorter steps, or take Functions/Exact solution.");
    prm.add_parameter("Project initial velocity",
                      is_projected,
                      "Whether a discrete gradient is taken from it, so that it has no discrete "
                      "divergence.");
    prm.leave_subsection();
    add_end(prm);
    add_wall_time_limit(prm);
  }


  void
  TimeParameters::check() const
  {
    AssertThrow(n_subcycles == 0 || subcycle_cfl == 0.,
                ExcMessage("Time/Subcycles = " + std::to_string(n_subcycles) +
                           " and Time/Subcycle CFL number both say how many subcycles there are. "
                           "Set one of them to 0."));
    check_step_size(max_dt);
    note_large_cfl(cfl);
  }


  void
  SolverParameters::add_parameters(ParameterHandler &prm)
  {
    const Patterns::Double tolerance = positive_numbers(1.);
    prm.enter_subsection("Solver");
    add_choice(prm,
               "Type",
               method,
               {{"deal.II CG", KrylovMethod::dealii_cg}, {"Belos", KrylovMethod::belos}},
               "Whose conjugate gradients, on the device.");
    add_choice(
      prm,
      "Velocity preconditioner",
      preconditioner,
      {{"automatic", VelocityPreconditioning::automatic},
       {"inverse mass", VelocityPreconditioning::inverse_mass},
       {"block Jacobi", VelocityPreconditioning::block_jacobi},
       {"p-multigrid", VelocityPreconditioning::p_multigrid}},
      "Inverse of the mass matrix, which suffices for short steps and little viscosity, "
      "of the diagonal blocks, one an element and component, or a multigrid cycle for "
      "each component. Automatic is the diagonal blocks where steps are long for viscosity, "
      "else the mass matrix. The pressure has a multigrid cycle.");
    prm.add_parameter("Velocity tolerance",
                      velocity_tolerance,
                      "Of the norm of the residual over that of the right-hand side.",
                      tolerance);
    prm.add_parameter("Pressure tolerance", pressure_tolerance, "The same.", tolerance);
    prm.add_parameter(
      "Penalty tolerance",
      stabilization_tolerance,
      "The same." +
        used_with(
          "Discretization/Divergence penalty above 0 or Discretization/Continuity penalty above 0"),
      tolerance);
    prm.add_parameter("Maximum iterations",
                      max_iterations,
                      "More of them are an error.",
                      Patterns::Integer(1));
    prm.add_parameter("Known solutions",
                      n_known_solutions,
                      "Last solutions of the pressure's equation, from which the first guess for "
                      "the next one is made; 0: it begins with zero.",
                      Patterns::Integer(0, 100));
    prm.leave_subsection();
  }


  void
  SolverParameters::check() const
  {
    for (const auto &[name, tolerance] : {std::make_pair("Velocity", velocity_tolerance),
                                          std::make_pair("Pressure", pressure_tolerance),
                                          std::make_pair("Penalty", stabilization_tolerance)})
      {
        std::ostringstream text;
        text << "Solver/" << name << " tolerance = " << tolerance
             << " is not accepted: it must lie between 0 and 1.";
        AssertThrow(tolerance < 1., ExcMessage(text.str()));
      }
  }


  void
  Parameters::add_parameters(ParameterHandler &prm)
  {
    equation.add_parameters(prm);
    mesh.add_parameters(prm);
    discretization.add_parameters(prm);
    functions.add_parameters(prm);
    time.add_parameters(prm);
    solver.add_parameters(prm);
    adaptivity.add_parameters(prm, true);
    RunParameters::add_parameters(prm);
  }


  void
  Parameters::check() const
  {
    time.check();
    solver.check();
    mesh.check_dimension(equation.dim);
    AssertThrow(!mesh.is_mixed() || solver.method == KrylovMethod::dealii_cg,
                ExcMessage("Solver/Type = Belos is for meshes of one shape: with Mesh/Cells = "
                           "mixed set it to deal.II CG."));
    adaptivity.check_run(mesh.cells,
                         mesh.n_refinements + discretization.n_cycles - 1,
                         average.is_at_points());
    RunParameters::check(time);
    AssertThrow(evaluation.density == 1.,
                ExcMessage("Evaluation/Reference density = " + std::to_string(evaluation.density) +
                           " is not accepted: the pressure of an incompressible flow is that over "
                           "the density, and so are forces. Coefficients need none."));
    AssertThrow(!time.begins_with_exact_solution || !functions.exact_solution.empty(),
                ExcMessage("Time/Start = exact solution needs Functions/Exact solution, which is "
                           "not given."));
  }
} // namespace Saltus::FlowProgram
