// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

namespace Saltus::Poisson
{
  using namespace dealii;

  void
  EquationParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.declare_entry("Dimension", "2", Patterns::Integer(2, 3), "Space dimension: 2 or 3.");
    prm.declare_entry("Diffusion",
                      "1",
                      Patterns::Anything(),
                      "k, positive: one expression in x, y, z and the constants, or those of the "
                      "components of a symmetric tensor, separated by ';': xx; xy; yy in 2D, "
                      "xx; xy; xz; yy; yz; zz in 3D.");
    prm.declare_entry("Reaction",
                      "0",
                      Patterns::Anything(),
                      "lambda, not negative: an expression in x, y, z and the constants.");
    prm.declare_entry("Coefficients",
                      "by quadrature point",
                      Patterns::Selection("by element|by quadrature point"),
                      "Where expressions that vary are taken: at the centres of the elements or at "
                      "every quadrature point.");
    prm.leave_subsection();
  }


  EquationParameters::EquationParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    dim       = prm.get_integer("Dimension");
    diffusion = prm.get("Diffusion");
    reaction  = prm.get("Reaction");
    sampling  = prm.get("Coefficients") == "by element" ? Sampling::by_element : Sampling::by_point;
    prm.leave_subsection();
  }


  void
  DiscretizationParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Discretization");
    prm.declare_entry("Degree", "2", Patterns::Integer(1), "Polynomial degree.");
    prm.declare_entry("Penalty factor",
                      "1",
                      Patterns::Double(0.),
                      "Times the penalty of which the theory says that the form is positive; "
                      "smaller ones may do.");
    prm.declare_entry("Cycles",
                      "1",
                      Patterns::Integer(1, 12),
                      "Solutions, each on a mesh refined once more.");
    prm.leave_subsection();
  }


  DiscretizationParameters::DiscretizationParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Discretization");
    degree         = prm.get_integer("Degree");
    penalty_factor = prm.get_double("Penalty factor");
    n_cycles       = prm.get_integer("Cycles");
    prm.leave_subsection();
    AssertThrow(penalty_factor > 0.,
                ExcMessage("Discretization/Penalty factor = 0 is not accepted: it must be a "
                           "positive number."));
  }


  void
  MultigridParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Multigrid");
    prm.declare_entry("Smoother degree",
                      "4",
                      Patterns::Integer(1, 20),
                      "Of the Chebyshev polynomials: applications of the operator in a smoothing "
                      "step on the levels of degree N, N/2, ..., 1.");
    prm.declare_entry("Precision",
                      "float",
                      Patterns::Selection("float|double"),
                      "Of all levels. Results do not depend on it.");
    prm.declare_entry("Coarse space",
                      "continuous",
                      Patterns::Selection("continuous|discontinuous"),
                      "What is below degree 1: an algebraic hierarchy of the continuous linear "
                      "functions, or of the discontinuous ones.");
    prm.declare_entry("Aggregation",
                      "smoothed",
                      Patterns::Selection("smoothed|plain"),
                      "Of the algebraic hierarchy.");
    prm.declare_entry("Cycle",
                      "V",
                      Patterns::Selection("V|K"),
                      "Of the algebraic hierarchy; with K cycles the conjugate gradients are "
                      "flexible.");
    prm.leave_subsection();
  }


  MultigridParameters::MultigridParameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Solver");
    prm.enter_subsection("Multigrid");
    smoother_degree      = prm.get_integer("Smoother degree");
    single_precision     = prm.get("Precision") == "float";
    continuous           = prm.get("Coarse space") == "continuous";
    smoothed_aggregation = prm.get("Aggregation") == "smoothed";
    k_cycle              = prm.get("Cycle") == "K";
    prm.leave_subsection();
    prm.leave_subsection();
  }


  void
  SolverParameters::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Solver");
    prm.declare_entry("Type",
                      "deal.II CG",
                      Patterns::Selection("deal.II CG|Belos|AztecOO"),
                      "Whose conjugate gradients: deal.II's and those of Trilinos' Belos work on "
                      "the device, those of Trilinos' AztecOO on the host.");
    prm.declare_entry("Belos variant",
                      "pseudo-block",
                      Patterns::Selection("pseudo-block|block"),
                      "Which of Belos' solvers.");
    prm.declare_entry(
      "Preconditioner",
      "p-multigrid",
      Patterns::Selection("none|inverse mass|block Jacobi|p-multigrid|AMG|ILU"),
      "Inverse of the mass matrix or of the matrix's diagonal blocks, one an element; a multigrid "
      "cycle; or, for AztecOO, algebraic multigrid (Trilinos' ML) or an incomplete decomposition "
      "(Ifpack) of an assembled matrix.");
    prm.declare_entry("Tolerance",
                      "1e-10",
                      Patterns::Double(0.),
                      "Stop when the residual is smaller than the right-hand side by this factor.");
    prm.declare_entry("Maximum iterations",
                      "10000",
                      Patterns::Integer(1),
                      "A solution that needs more is an error.");
    MultigridParameters::declare(prm);
    prm.leave_subsection();
  }


  SolverParameters::SolverParameters(ParameterHandler &prm)
    : multigrid(prm)
  {
    prm.enter_subsection("Solver");
    type                    = prm.get("Type");
    preconditioner          = prm.get("Preconditioner");
    block_belos             = prm.get("Belos variant") == "block";
    settings.tolerance      = prm.get_double("Tolerance");
    settings.max_iterations = prm.get_integer("Maximum iterations");
    const std::string text  = prm.get("Tolerance");
    prm.leave_subsection();
    AssertThrow(0. < settings.tolerance && settings.tolerance < 1.,
                ExcMessage("Solver/Tolerance = " + text +
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
} // namespace Saltus::Poisson
