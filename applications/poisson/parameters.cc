// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

#include <algorithm>
#include <sstream>

namespace Saltus::Poisson
{
  using namespace dealii;

  void
  EquationParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.add_parameter("Dimension", dim, "Space dimension: 2 or 3.", Patterns::Integer(2, 3));
    prm.add_parameter("Diffusion",
                      diffusion,
                      "k, positive: one expression in x, y, z and the constants, or those of the "
                      "components of a symmetric tensor, separated by ';': xx; xy; yy in 2D, "
                      "xx; xy; xz; yy; yz; zz in 3D.");
    prm.add_parameter("Reaction",
                      reaction,
                      "lambda, not negative: an expression in x, y, z and the constants.");
    add_choice(prm,
               "Coefficients",
               sampling,
               {{"by element", Sampling::by_element}, {"by quadrature point", Sampling::by_point}},
               "Where expressions that vary are taken: at the centres of the elements or at every "
               "quadrature point.");
    prm.leave_subsection();
  }


  void
  DiscretizationParameters::add_parameters(ParameterHandler &prm)
  {
    DegreeAndCycles::add_parameters(
      prm, Patterns::Integer(1, std::max(max_laplace_degree(2), max_laplace_degree(3))));
    prm.enter_subsection("Discretization");
    prm.add_parameter("Penalty factor",
                      penalty_factor,
                      "Times the penalty of which the theory says that the form is positive; "
                      "smaller ones may do.",
                      positive_numbers());
    prm.leave_subsection();
  }


  void
  MultigridParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string used = used_with("Solver/Preconditioner = p-multigrid");
    prm.enter_subsection("Multigrid");
    prm.add_parameter("Smoother degree",
                      smoother_degree,
                      "Of the Chebyshev polynomials: applications of the operator in a smoothing "
                      "step on the levels of degree N, N/2, ..., 1." +
                        used,
                      Patterns::Integer(1, 20));
    add_choice(prm,
               "Precision",
               single_precision,
               {{"float", true}, {"double", false}},
               "Of all levels. Results do not depend on it." + used);
    add_choice(prm,
               "Coarse space",
               continuous,
               {{"continuous", true}, {"discontinuous", false}},
               "What is below degree 1: an algebraic hierarchy of the continuous linear functions, "
               "or of the discontinuous ones." +
                 used);
    add_choice(prm,
               "Aggregation",
               smoothed_aggregation,
               {{"smoothed", true}, {"plain", false}},
               "Of the algebraic hierarchy." + used);
    add_choice(prm,
               "Cycle",
               k_cycle,
               {{"V", false}, {"K", true}},
               "Of the algebraic hierarchy; with K cycles the conjugate gradients are flexible." +
                 used);
    prm.leave_subsection();
  }


  void
  SolverParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Solver");
    prm.add_parameter("Type",
                      type,
                      "Whose conjugate gradients: deal.II's and those of Trilinos' Belos work on "
                      "the device, those of Trilinos' AztecOO on the host.",
                      Patterns::Selection("deal.II CG|Belos|AztecOO"));
    add_choice(prm,
               "Belos variant",
               block_belos,
               {{"pseudo-block", false}, {"block", true}},
               "Which of Belos' solvers." + used_with("Solver/Type = Belos"));
    prm.add_parameter(
      "Preconditioner",
      preconditioner,
      "Inverse of the mass matrix or of the matrix's diagonal blocks, one an element; a multigrid "
      "cycle; or, for AztecOO, algebraic multigrid (Trilinos' ML) or an incomplete decomposition "
      "(Ifpack) of an assembled matrix.",
      Patterns::Selection("none|inverse mass|block Jacobi|p-multigrid|AMG|ILU"));
    prm.add_parameter(
      "Tolerance",
      settings.tolerance,
      "Stop when the residual of the solution is smaller than the right-hand side "
      "by this factor, less than 1; or where rounding errors make it no smaller, if it "
      "is at most 1e-5 of the right-hand side or a hundred times this, which is said.",
      positive_numbers(1.));
    prm.add_parameter("Maximum iterations",
                      settings.max_iterations,
                      "A solution that needs more is an error.",
                      Patterns::Integer(1));
    multigrid.add_parameters(prm);
    prm.leave_subsection();
  }


  void
  SolverParameters::check() const
  {
    std::ostringstream tolerance;
    tolerance << settings.tolerance;
    AssertThrow(settings.tolerance < 1.,
                ExcMessage("Solver/Tolerance = " + tolerance.str() +
                           " is not accepted: it must be between 0 and 1."));
    AssertThrow(type == "AztecOO" || !on_host(),
                ExcMessage("Solver/Preconditioner = " + preconditioner +
                           " works on the host: it is for Solver/Type = AztecOO, not for "
                           "Solver/Type = " +
                           type + "."));
    AssertThrow(type == "deal.II CG" || !varies(),
                ExcMessage("Solver/Multigrid/Cycle = K varies from one application to the next: it "
                           "is for Solver/Type = deal.II CG, not for Solver/Type = " +
                           type + "."));
  }


  bool
  SolverParameters::on_host() const
  {
    return preconditioner == "AMG" || preconditioner == "ILU";
  }


  bool
  SolverParameters::varies() const
  {
    return preconditioner == "p-multigrid" && multigrid.k_cycle;
  }


  void
  Parameters::add_parameters(ParameterHandler &prm)
  {
    equation.add_parameters(prm);
    mesh.add_parameters(prm);
    discretization.add_parameters(prm);
    functions.add_parameters(prm);
    solver.add_parameters(prm);
    output.add_parameters(prm);
    evaluation.add_parameters(prm, false);
    adaptivity.add_parameters(prm);
  }


  void
  Parameters::check_mixed() const
  {
    if (!mesh.is_mixed())
      return;
    const std::string with_mixed = "with Mesh/Cells = mixed ";
    mesh.check_dimension(equation.dim);
    AssertThrow(solver.type == "deal.II CG",
                ExcMessage("Solver/Type = " + solver.type +
                           " is for meshes of one shape: " + with_mixed + "set it to deal.II CG."));
    AssertThrow(solver.preconditioner != "p-multigrid" || solver.multigrid.continuous,
                ExcMessage("Solver/Multigrid/Coarse space = discontinuous is for meshes of one "
                           "shape: " +
                           with_mixed + "set it to continuous."));
  }


  void
  Parameters::check() const
  {
    functions.check();
    solver.check();
    output.check();
    adaptivity.check();
    if (adaptivity.is_used())
      adaptivity.check_level(mesh.n_refinements);
    check_mixed();
    const bool hypercubes = mesh.cells == "hypercubes";
    AssertThrow(!adaptivity.is_used() || hypercubes,
                ExcMessage(
                  "Adaptivity/Cells = marked needs a mesh that p4est can refine in places: "
                  "set Mesh/Cells = hypercubes, or Adaptivity/Cells = all."));
    AssertThrow(!hypercubes || solver.preconditioner != "AMG",
                ExcMessage("Solver/Preconditioner = AMG is for Mesh/Cells = simplices, where one "
                           "coefficient of an element is its mean: with hypercubes set it to "
                           "p-multigrid, block Jacobi or ILU."));
  }
} // namespace Saltus::Poisson
