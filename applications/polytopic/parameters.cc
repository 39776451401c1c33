// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "parameters.h"

#include <saltus/fe/legendre.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Saltus::Polytopic
{
  using namespace dealii;

  namespace
  {
    const std::vector<std::pair<std::string, SolverType>> &
    solver_names()
    {
      static const std::vector<std::pair<std::string, SolverType>> names = {
        {"automatic", SolverType::automatic},
        {"deal.II CG", SolverType::cg},
        {"deal.II GMRES", SolverType::gmres},
        {"Belos CG", SolverType::belos_cg},
        {"Belos GMRES", SolverType::belos_gmres},
        {"Trilinos CG", SolverType::trilinos_cg},
        {"Trilinos GMRES", SolverType::trilinos_gmres},
        {"Trilinos direct", SolverType::trilinos_direct}};
      return names;
    }

    const std::vector<std::pair<std::string, PreconditionerType>> &
    preconditioner_names()
    {
      static const std::vector<std::pair<std::string, PreconditionerType>> names = {
        {"automatic", PreconditionerType::automatic},
        {"none", PreconditionerType::none},
        {"block Jacobi", PreconditionerType::block_jacobi},
        {"multigrid", PreconditionerType::multigrid},
        {"ILU", PreconditionerType::ilu},
        {"AMG", PreconditionerType::amg}};
      return names;
    }

    template <typename T>
    std::string
    name_of(const std::vector<std::pair<std::string, T>> &names, const T value)
    {
      return std::find_if(names.begin(),
                          names.end(),
                          [&](const auto &pair) { return pair.second == value; })
        ->first;
    }
  } // namespace


  void
  EquationParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    prm.add_parameter("Dimension", dim, "Space dimension: 2 or 3.", Patterns::Integer(2, 3));
    prm.add_parameter("Diffusion",
                      diffusion,
                      "A, positive or zero: one expression in x, y, z and the constants, or those "
                      "of the components of a symmetric tensor, separated by ';': xx; xy; yy in "
                      "2D, xx; xy; xz; yy; yz; zz in 3D. No direction may have a negative one.");
    prm.add_parameter("Velocity",
                      velocity,
                      "Expressions of the components of b, separated by ';'; empty: no advection.");
    prm.add_parameter(
      "Reaction",
      reaction,
      "c: an expression in x, y, z and the constants. As diffusion and velocity it may "
      "depend on t where there is a time. With a positive or zero c - div(b) / 2 there is one "
      "solution. A negative c is taken as it is, but then the matrix need not be positive, and may "
      "be singular: take Trilinos direct.");
    add_choice(prm,
               "Coefficients",
               sampling,
               {{"by cell", Sampling::by_element}, {"by quadrature point", Sampling::by_point}},
               "Where diffusion and reaction are taken if they vary: at the centres of the cells "
               "or at every quadrature point, diffusion on facets on either side of it.");
    prm.leave_subsection();
  }


  void
  AgglomerationParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Agglomeration");
    add_choice(prm,
               "Method",
               method,
               {{"none", AgglomerationMethod::none},
                {"METIS", AgglomerationMethod::metis},
                {"boxes", AgglomerationMethod::boxes},
                {"couplings", AgglomerationMethod::couplings},
                {"ancestors", AgglomerationMethod::ancestors},
                {"material", AgglomerationMethod::material},
                {"file", AgglomerationMethod::file}},
               "What the cells of an element have in common: none, every cell is an element; a "
               "part of the mesh with short interfaces (METIS), or in a tree of boxes; strong "
               "couplings, which makes thin cells less thin; the cell that was refined to them; "
               "their material id; a number in a file.");
    prm.add_parameter("Cells per element",
                      cells_per_element,
                      "On average." +
                        used_with("Agglomeration/Method = METIS or boxes or couplings"),
                      Patterns::Double(1.));
    prm.add_parameter("Levels",
                      n_levels,
                      "Refinements between ancestors and cells." +
                        used_with("Agglomeration/Method = ancestors"),
                      Patterns::Integer(1, 12));
    prm.add_parameter(
      "File",
      file,
      "Text with the number of the element, from 0, for each cell of the mesh; relative "
      "to the working directory or to that of the parameter file.");
    add_choice(prm,
               "Boxes of elements",
               axes,
               {{"parallel", BoxAxes::parallel}, {"principal axes", BoxAxes::principal}},
               "How the boxes lie in which elements have their polynomials: parallel to the "
               "coordinates or along the elements' principal axes.");
    prm.leave_subsection();
  }


  void
  AgglomerationParameters::check() const
  {
    AssertThrow((method == AgglomerationMethod::file) == !file.empty(),
                ExcMessage(file.empty()
                             ? "Agglomeration/Method = file needs Agglomeration/File."
                             : "Agglomeration/File is for Agglomeration/Method = file."));
  }


  template <int dim>
  Agglomeration<dim>
  AgglomerationParameters::make(const Triangulation<dim> &triangulation) const
  {
    const unsigned int n_elements =
      std::max(1., std::round(triangulation.n_active_cells() / cells_per_element));
    switch (method)
      {
        case AgglomerationMethod::metis:
          return agglomerate(triangulation, Grouping::metis, n_elements);
        case AgglomerationMethod::boxes:
          return agglomerate(triangulation, Grouping::boxes, n_elements);
        case AgglomerationMethod::couplings:
          return agglomerate(triangulation, Grouping::couplings, n_elements);
        case AgglomerationMethod::ancestors:
          AssertThrow(triangulation.n_global_levels() > n_levels,
                      ExcMessage("Agglomeration/Levels = " + std::to_string(n_levels) +
                                 " with Method = ancestors needs a mesh that is refined as often. "
                                 "This one is refined " +
                                 std::to_string(triangulation.n_global_levels() - 1) +
                                 " times: raise Mesh/Refinements or lower Agglomeration/Levels."));
          return agglomerate_by_ancestors(triangulation, n_levels);
        case AgglomerationMethod::material:
          return agglomerate_by_material(triangulation);
        case AgglomerationMethod::file:
          return read_agglomeration(triangulation, file);
        default:
          return agglomerate_none(triangulation);
      }
  }


  void
  DiscretizationParameters::add_parameters(ParameterHandler &prm)
  {
    DegreeAndCycles::add_parameters(prm, Patterns::Integer(1, max_legendre_degree));
    prm.enter_subsection("Discretization");
    prm.add_parameter("Degrees",
                      degrees,
                      "Expression in x, y, z and the constants for degrees of the elements' own, "
                      "taken at the centres of their boxes and rounded; empty: Degree everywhere.");
    prm.add_parameter(
      "Penalty factor",
      penalty_factor,
      "C_sigma: times the penalty. With the penalties perimeter and cells 4 is "
      "enough on every mesh. Smaller ones, in particular below 1, may take from the "
      "matrix that it is positive: solutions may then be wrong, which direct "
      "solvers and GMRES need not notice. Larger ones cost iterations and digits.",
      positive_numbers());
    add_choice(
      prm,
      "Penalty",
      penalty,
      {{"perimeter", PolytopicPenalty::perimeter},
       {"cells", PolytopicPenalty::cells},
       {"covering", PolytopicPenalty::covering}},
      "By what it goes besides the degree: the boundary of an element over its volume, "
      "which suits elements of many facets; the cells, which is larger, and safe for "
      "elements of any shape; or as Dong, Georgoulis and Kappas in appendix A for elements "
      "that simplices cover, for which the factor must be 10 and more.");
    add_choice(
      prm,
      "Assembly",
      assembly,
      {{"in place", PolytopicAssembly::in_place}, {"coordinates", PolytopicAssembly::coordinates}},
      "How matrices are assembled: rows by themselves, in their places, or entries of cells "
      "and facets in coordinate form, which are sorted and added. Both give the same.");
    prm.add_parameter("Quadrature degree",
                      quadrature_degree,
                      "Added to that of the rules, which integrate products of polynomials.",
                      Patterns::Integer(0, 20));
    prm.leave_subsection();
  }


  void
  DiscretizationParameters::check() const
  {
    constexpr double   smallest = 10.;
    std::ostringstream text;
    text << "Discretization/Penalty factor = " << penalty_factor
         << " is too small for Penalty = covering: the matrix need not be positive. Give at least "
         << smallest << '.';
    AssertThrow(penalty != PolytopicPenalty::covering || penalty_factor >= smallest,
                ExcMessage(text.str()));
  }


  void
  FunctionParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    prm.add_parameter("Initial condition",
                      initial_condition,
                      "Where there is a time: expression of u at time 0 in x, y, z and the "
                      "constants; empty: as the exact solution.");
    prm.leave_subsection();
    EllipticFunctionParameters::add_parameters(prm, "x, y, z, where there is a time t,", true);
  }


  void
  TimeParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string used = used_with("Time/Step size above 0");
    prm.enter_subsection("Time");
    prm.add_parameter("Step size",
                      step_size,
                      "Length of the slabs of space and time in which u_t + ... = f is solved; "
                      "shorter where a picture or the end of the run is. 0: there is no time.",
                      Patterns::Double(0.));
    prm.add_parameter("Halve step size",
                      is_halved,
                      "From cycle to cycle, as elements are refined." + used);
    add_choice(
      prm,
      "Basis",
      basis,
      {{"total degree", LegendreFamily::total}, {"tensor", LegendreFamily::tensor}},
      "Polynomials in a prism, an element times a step: of the total degree p in space and "
      "time; or of the degree p in space, times those of degree p in time." +
        used);
    prm.add_parameter("Local steps",
                      local_steps,
                      "Steps of an element in a slab, all equally long: an expression in x, y, z "
                      "and the constants, taken at the centre of the element's box and rounded.");
    prm.leave_subsection();
    add_end(prm, used);
    add_wall_time_limit(prm, used);
  }


  void
  TimeParameters::check() const
  {
    if (is_used())
      check_step_size(step_size);
  }


  void
  MultigridParameters::add_parameters(ParameterHandler &prm)
  {
    const std::string used = used_with("Solver/Preconditioner = automatic or multigrid");
    prm.enter_subsection("Multigrid");
    prm.add_parameter("Smoother degree",
                      smoother_degree,
                      "Of the Chebyshev polynomials, with advection of residual minimization: "
                      "products with the matrix in a smoothing step." +
                        used,
                      Patterns::Integer(1, 20));
    prm.add_parameter("Elements of an agglomerate",
                      ratio,
                      "On the levels of larger and larger elements." + used,
                      Patterns::Integer(2, 1000));
    add_choice(prm,
               "Agglomerates",
               grouping,
               {{"METIS", Grouping::metis},
                {"boxes", Grouping::boxes},
                {"couplings", Grouping::couplings}},
               "How they are found, see Agglomeration/Method." + used);
    add_choice(prm,
               "First",
               elements_first,
               {{"lower degrees", false}, {"larger elements", true}},
               "What coarser levels have before they have the other, too. Larger elements of high "
               "degrees are more work, and better for thin elements." +
                 used);
    add_choice(prm,
               "Precision",
               single_precision,
               {{"float", true}, {"double", false}},
               "Of all levels. Results do not depend on it." + used);
    add_choice(
      prm,
      "Cycle",
      cycle,
      {{"V", MultigridCycle::V}, {"W", MultigridCycle::W}, {"K", MultigridCycle::K}},
      "Of the levels of agglomerates, without advection: how often a coarse problem is treated, "
      "once, twice, or by conjugate gradients. With K cycles those outside are flexible." +
        used);
    prm.leave_subsection();
  }


  void
  SolverParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Solver");
    add_choice(prm,
               "Type",
               type,
               solver_names(),
               "Conjugate gradients and GMRES of deal.II and of Trilinos' Belos work on the "
               "device, Trilinos CG, GMRES (AztecOO) and direct (Amesos) on the host. Conjugate "
               "gradients are for problems without velocity and time. Automatic is deal.II CG, "
               "with a velocity deal.II GMRES, with a time Trilinos direct. With the "
               "preconditioners ILU and AMG it is Trilinos CG or GMRES.");
    add_choice(prm,
               "Preconditioner",
               preconditioner,
               preconditioner_names(),
               "Inverse of the matrix's diagonal blocks, or a multigrid cycle; for Trilinos an "
               "incomplete decomposition (Ifpack) or algebraic multigrid (ML). Automatic is "
               "multigrid, with a time block Jacobi. For Trilinos CG and GMRES it is ILU, for "
               "Trilinos direct none.");
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


  std::string
  SolverParameters::type_name() const
  {
    return name_of(solver_names(), type);
  }


  std::string
  SolverParameters::preconditioner_name() const
  {
    return name_of(preconditioner_names(), preconditioner);
  }


  SolverParameters
  SolverParameters::chosen(const bool is_symmetric, const bool has_time) const
  {
    SolverParameters result     = *this;
    const bool       has_choice = preconditioner == PreconditionerType::automatic;
    if (type == SolverType::automatic)
      {
        if (preconditioner == PreconditionerType::ilu || preconditioner == PreconditionerType::amg)
          result.type = is_symmetric ? SolverType::trilinos_cg : SolverType::trilinos_gmres;
        else if (has_time && has_choice)
          result.type = SolverType::trilinos_direct;
        else
          result.type = is_symmetric ? SolverType::cg : SolverType::gmres;
      }
    if (has_choice)
      {
        if (result.type == SolverType::trilinos_direct)
          result.preconditioner = PreconditionerType::none;
        else if (result.on_host())
          result.preconditioner = PreconditionerType::ilu;
        else
          result.preconditioner =
            has_time ? PreconditionerType::block_jacobi : PreconditionerType::multigrid;
      }
    return result;
  }


  bool
  SolverParameters::on_host() const
  {
    return type == SolverType::trilinos_cg || type == SolverType::trilinos_gmres ||
           type == SolverType::trilinos_direct;
  }


  bool
  SolverParameters::is_conjugate_gradients() const
  {
    return type == SolverType::cg || type == SolverType::belos_cg ||
           type == SolverType::trilinos_cg;
  }


  void
  SolverParameters::check() const
  {
    std::ostringstream tolerance;
    tolerance << settings.tolerance;
    AssertThrow(settings.tolerance < 1.,
                ExcMessage("Solver/Tolerance = " + tolerance.str() +
                           " is not accepted: it must be between 0 and 1."));
    AssertThrow(type != SolverType::trilinos_direct || preconditioner == PreconditionerType::none,
                ExcMessage("Solver/Type = Trilinos direct needs Solver/Preconditioner = none."));
    const bool of_host =
      preconditioner == PreconditionerType::ilu || preconditioner == PreconditionerType::amg;
    AssertThrow(preconditioner == PreconditionerType::none || of_host == on_host(),
                ExcMessage("Solver/Preconditioner = " + preconditioner_name() +
                           " is not for Solver/Type = " + type_name() + ": " +
                           (on_host() ? "there are none, ILU and AMG."
                                      : "there are none, block Jacobi and multigrid.")));
    AssertThrow(multigrid.cycle != MultigridCycle::K || type == SolverType::cg ||
                  preconditioner != PreconditionerType::multigrid,
                ExcMessage("Solver/Multigrid/Cycle = K varies from one application to the next: it "
                           "is for Solver/Type = deal.II CG."));
  }


  void
  Parameters::add_parameters(ParameterHandler &prm)
  {
    equation.add_parameters(prm);
    mesh.add_parameters(prm);
    agglomeration.add_parameters(prm);
    discretization.add_parameters(prm);
    functions.add_parameters(prm);
    time.add_parameters(prm);
    solver.add_parameters(prm);
    output.add_parameters(prm);
    evaluation.add_parameters(prm, false);
    average.add_parameters(prm);
    checkpoint.add_parameters(prm);
    adaptivity.add_parameters(prm);
  }


  void
  Parameters::check() const
  {
    functions.check();
    agglomeration.check();
    discretization.check();
    adaptivity.check();
    const SolverParameters solver = chosen_solver();
    solver.check();
    time.check();
    RunParameters::check(time);
    AssertThrow((equation.velocity.empty() && !time.is_used()) || !solver.is_conjugate_gradients(),
                ExcMessage("Solver/Type = " + solver.type_name() +
                           " is for symmetric matrices: with an Equation/Velocity or a Time/Step "
                           "size choose GMRES or Trilinos direct."));
    AssertThrow(equation.velocity.empty() || solver.multigrid.cycle == MultigridCycle::V,
                ExcMessage("Solver/Multigrid/Cycle = W and K are for symmetric matrices: with an "
                           "Equation/Velocity it must be V."));
    if (time.is_used())
      check_slabs();
    else
      check_stationary();
  }


  void
  Parameters::check_slabs() const
  {
    AssertThrow(equation.dim == 2,
                ExcMessage(
                  "Time/Step size asks for slabs of space and time, which are there for "
                  "Equation/Dimension = 2: matrices in four dimensions are not compiled."));
    AssertThrow(!adaptivity.is_used(),
                ExcMessage("Adaptivity/Method is for problems without time (Time/Step size)."));
    AssertThrow(evaluation.flux_ids.empty(),
                ExcMessage("Evaluation/Flux boundaries is for problems without time (Time/Step "
                           "size)."));
    AssertThrow(solver.preconditioner != PreconditionerType::multigrid,
                ExcMessage("Solver/Preconditioner = multigrid is not for slabs (Time/Step size): "
                           "choose block Jacobi, for Trilinos GMRES ILU, or none."));
  }


  void
  Parameters::check_stationary() const
  {
    const std::string message =
      " is given, but there is no time: Time/Step size must be the length of the steps.";
    AssertThrow(functions.initial_condition.empty(),
                ExcMessage("Functions/Initial condition" + message));
    AssertThrow(time.local_steps == TimeParameters().local_steps,
                ExcMessage("Time/Local steps" + message));
    AssertThrow(output.picture_interval == 0., ExcMessage("Output/Interval" + message));
    AssertThrow(output.series_interval == 0, ExcMessage("Output/Time series interval" + message));
    AssertThrow(average.sampling_interval() == 0, ExcMessage("Average/Kind" + message));
    AssertThrow(checkpoint.interval == 0, ExcMessage("Checkpoint/Interval" + message));
    AssertThrow(!checkpoint.restart, ExcMessage("Checkpoint/Restart" + message));
  }


  template Agglomeration<2>
  AgglomerationParameters::make(const Triangulation<2> &) const;
  template Agglomeration<3>
  AgglomerationParameters::make(const Triangulation<3> &) const;
} // namespace Saltus::Polytopic
