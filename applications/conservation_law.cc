// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a hyperbolic conservation law on triangles or tetrahedra, from a parameter file.
#include <deal.II/base/convergence_table.h>
#include <deal.II/base/function_parser.h>
#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/application.h>
#include <saltus/io/parameter_lists.h>
#include <saltus/io/progress.h>
#include <saltus/io/solution_writer.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time_integrator.h>

#include <iostream>

using namespace dealii;
using namespace Saltus;

namespace
{
  void
  declare_parameters(ParameterHandler &prm)
  {
    const auto declare = [&](const char                  *entry,
                             const std::string           &value,
                             const Patterns::PatternBase &pattern,
                             const char                  *documentation) {
      prm.declare_entry(entry, value, pattern, documentation);
    };
    const Patterns::Double positive(0.);

    prm.enter_subsection("Equation");
    declare("Type", "Euler", Patterns::Selection("Euler|advection"), "The conservation law.");
    declare("Dimension", "2", Patterns::Integer(2, 3), "Space dimension: 2 or 3.");
    declare("Heat capacity ratio", "1.4", Patterns::Double(1.), "Gamma of the ideal gas (Euler).");
    declare("Numerical flux",
            "HLLC",
            Patterns::Selection("HLLC|Lax-Friedrichs"),
            "Riemann solver (Euler); advection uses the upwind flux.");
    declare("Velocity",
            "",
            Patterns::Anything(),
            "Advection: expressions of the velocity's components, separated by ';'.");
    prm.leave_subsection();

    prm.enter_subsection("Mesh");
    declare("Type",
            "box",
            Patterns::Selection("box|disc|quarter annulus|double Mach reflection|file"),
            "A generated mesh (boundary ids: see GridGenerator) or a Gmsh file.");
    declare("File", "", Patterns::Anything(), "Gmsh file, ASCII format 2.2 or 4.1 (file).");
    declare("Lower corner", "0, 0", Patterns::List(Patterns::Double(), 2, 3), "Of the box.");
    declare("Upper corner", "1, 1", Patterns::List(Patterns::Double(), 2, 3), "Of the box.");
    declare("Subdivisions",
            "8, 8",
            Patterns::List(Patterns::Integer(1), 2, 3),
            "Cuboids a direction of the box; of the quarter annulus, in radius and angle.");
    declare("Radii",
            "1, 1.384",
            Patterns::List(Patterns::Double(0.), 1, 2),
            "Of the quarter annulus, or of the disc.");
    declare("Rings", "6", Patterns::Integer(1), "Rings of triangles of the disc.");
    declare("Triangles", "2000", Patterns::Integer(100), "Wanted number (double Mach reflection).");
    declare("Distortion",
            "0",
            Patterns::Double(0., 0.25),
            "Random displacement of interior vertices, in mesh widths (box, double Mach "
            "reflection).");
    declare("Refinements",
            "0",
            Patterns::Integer(0, 12),
            "Uniform refinements before the first cycle.");
    prm.leave_subsection();

    prm.enter_subsection("Discretization");
    declare("Degree", "2", Patterns::Integer(0, 7), "Polynomial degree.");
    declare("Quadrature increase",
            "0",
            Patterns::Integer(0, 6),
            "Added to the degrees 2p and 2p+1 that volume and face quadrature integrate exactly.");
    declare("Limiter",
            "none",
            Patterns::Selection("none|Barth-Jespersen"),
            "Applied after every stage; for degree 1.");
    declare("Cycles", "1", Patterns::Integer(1, 12), "Runs, each on a mesh refined once more.");
    prm.leave_subsection();

    prm.enter_subsection("Functions");
    declare("Variables",
            "conserved",
            Patterns::Selection("conserved|primitive"),
            "What the expressions of states give. Euler: density, momentum, energy; or density, "
            "velocity, pressure.");
    declare("Constants", "", Patterns::Anything(), "Named numbers: a = 1, b = 2.5.");
    declare("Initial state", "", Patterns::Anything(), "Expressions, separated by ';'.");
    declare("Exact solution",
            "",
            Patterns::Anything(),
            "Expressions for the error table, separated by ';'; empty: no table.");
    declare("Boundary conditions",
            "",
            Patterns::Anything(),
            "ID: KIND, ... with the kinds wall, curved wall, outflow, prescribed (EXPRESSIONS), "
            "far field (EXPRESSIONS), periodic with ID.");
    prm.leave_subsection();

    prm.enter_subsection("Time");
    declare("Scheme", "LSRK45", Patterns::Selection(RungeKutta::names()), "Runge-Kutta scheme.");
    declare("CFL number",
            "0.7",
            positive,
            "Step size in inscribed diameters over wave speed and 2p+1; 0: fixed steps.");
    declare("Step size", "1e300", positive, "Upper bound of the step size, or the fixed size.");
    declare("End time", "1", positive, "Stop at this time.");
    declare("Steps", "1000000000", Patterns::Integer(0), "Stop after this many steps.");
    declare("Steady tolerance",
            "0",
            positive,
            "Stop when no coefficient changes by more in a step; 0: never.");
    prm.leave_subsection();

    prm.enter_subsection("Output");
    declare("Directory", "output", Patterns::Anything(), "Where the files go.");
    declare("Name", "solution", Patterns::Anything(), "Beginning of the files' names.");
    declare("Interval", "1e300", positive, "Simulated time between pictures.");
    prm.leave_subsection();
  }

  template <typename Number>
  std::vector<Number>
  list(ParameterHandler &prm, const std::string &entry, const unsigned int n)
  {
    const auto words = Utilities::split_string_list(prm.get(entry));
    AssertThrow(words.size() == n,
                ExcMessage("Mesh/" + entry + " = '" + prm.get(entry) + "' has " +
                           std::to_string(words.size()) + " numbers; " + std::to_string(n) +
                           " are expected."));
    std::vector<Number> numbers;
    for (const std::string &word : words)
      numbers.push_back(Utilities::string_to_double(word));
    return numbers;
  }

  template <int dim>
  Point<dim>
  corner(ParameterHandler &prm, const std::string &entry)
  {
    const auto numbers = list<double>(prm, entry, dim);
    Point<dim> point;
    for (unsigned int d = 0; d < dim; ++d)
      point[d] = numbers[d];
    return point;
  }

  template <int dim>
  void
  make_mesh(ParameterHandler &prm, Triangulation<dim> &triangulation)
  {
    prm.enter_subsection("Mesh");
    const std::string type = prm.get("Type");
    if (type == "box")
      Saltus::GridGenerator::box<dim>(triangulation,
                                      corner<dim>(prm, "Lower corner"),
                                      corner<dim>(prm, "Upper corner"),
                                      list<unsigned int>(prm, "Subdivisions", dim),
                                      prm.get_double("Distortion"));
    else if (type == "file")
      Saltus::GridGenerator::read_mesh(triangulation, prm.get("File"));
    else if constexpr (dim == 2)
      {
        if (type == "disc")
          Saltus::GridGenerator::disc(triangulation,
                                      list<double>(prm, "Radii", 1)[0],
                                      prm.get_integer("Rings"));
        else if (type == "quarter annulus")
          {
            const auto radii = list<double>(prm, "Radii", 2);
            const auto n     = list<unsigned int>(prm, "Subdivisions", 2);
            Saltus::GridGenerator::quarter_annulus(triangulation, radii[0], radii[1], n[0], n[1]);
          }
        else
          Saltus::GridGenerator::double_mach_reflection(triangulation,
                                                        prm.get_integer("Triangles"),
                                                        prm.get_double("Distortion"));
      }
    else
      AssertThrow(false,
                  ExcMessage("Mesh/Type = '" + type + "' is a mesh in 2D; use box or file."));
    triangulation.refine_global(prm.get_integer("Refinements"));
    prm.leave_subsection();
  }

  template <int dim>
  Euler<dim>
  make_law(ParameterHandler &prm, Euler<dim>)
  {
    Euler<dim> law;
    law.gamma          = prm.get_double("Heat capacity ratio");
    law.riemann_solver = prm.get("Numerical flux") == "HLLC"
                           ? Euler<dim>::RiemannSolver::hllc
                           : Euler<dim>::RiemannSolver::lax_friedrichs;
    return law;
  }

  template <int dim>
  Advection<dim>
  make_law(ParameterHandler &, Advection<dim>)
  {
    return {};
  }

  /// One conservation law in one dimension, from the parameters to the error table.
  template <int dim, typename Law>
  class Solver
  {
    using Operator = ConservationLawOperator<dim, Law>;

  public:
    explicit Solver(ParameterHandler &prm)
      : prm(prm)
      , device(Device::from_name(prm.get("Device")))
      , mapping(FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
    {
      std::cout << "Device: " << device.description() << std::endl;
      prm.enter_subsection("Equation");
      law      = make_law(prm, Law());
      velocity = prm.get("Velocity");
      prm.leave_subsection();
      prm.enter_subsection("Discretization");
      degree              = prm.get_integer("Degree");
      quadrature_increase = prm.get_integer("Quadrature increase");
      limit               = prm.get("Limiter") != "none";
      n_cycles            = prm.get_integer("Cycles");
      prm.leave_subsection();
      AssertThrow(!limit || degree == 1,
                  ExcMessage(
                    "Discretization/Limiter = Barth-Jespersen is for degree 1, not for degree " +
                    std::to_string(degree) + "."));
      prm.enter_subsection("Functions");
      primitive = prm.get("Variables") == "primitive";
      constants = parse_constants(prm.get("Constants"), "Functions/Constants");
      initial   = prm.get("Initial state");
      exact     = prm.get("Exact solution");
      prm.leave_subsection();
      AssertThrow(!initial.empty(),
                  ExcMessage("Functions/Initial state is empty; give " +
                             std::to_string(Law::n_components) +
                             " expressions, separated by ';'."));
    }

    void
    run()
    {
      make_mesh(prm, triangulation);
      for (unsigned int cycle = 0; cycle < n_cycles; ++cycle)
        {
          if (cycle > 0)
            triangulation.refine_global(1);
          solve(cycle);
        }
      if (!exact.empty())
        print_table();
    }

  private:
    StateFunction<dim>
    state(const std::string &text, const std::string &entry) const
    {
      return {Expression(dim, text, Law::n_components, constants, "Functions/" + entry), primitive};
    }

    BoundaryConditions<dim>
    boundary_conditions()
    {
      prm.enter_subsection("Functions");
      const std::string entry = "Boundary conditions";
      const auto        list =
        parse_boundary_conditions(prm.get(entry),
                                  "Functions/" + entry,
                                  {"wall", "curved wall", "outflow", "prescribed", "far field"});
      prm.leave_subsection();
      BoundaryConditions<dim> conditions;
      for (const BoundaryEntry &item : list)
        if (item.kind == "periodic")
          conditions.set_periodic(item.id, item.partner);
        else if (item.kind == "outflow")
          conditions.set_outflow(item.id);
        else if (item.kind == "wall" || item.kind == "curved wall")
          conditions.set_wall(item.id, item.kind == "curved wall");
        else if (item.kind == "prescribed")
          conditions.set_prescribed(item.id, state(item.data, entry));
        else
          conditions.set_far_field(item.id, state(item.data, entry));
      return conditions;
    }

    void
    solve(const unsigned int cycle)
    {
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(degree), Law::n_components));
      typename Operator::AdditionalData data;
      data.quadrature_increase = quadrature_increase;
      if (Law::n_fields > 0)
        data.fields = StateFunction<dim>(
          Expression(dim, velocity, Law::n_fields, constants, "Equation/Velocity"));
      op.reinit(mapping, dof_handler, law, boundary_conditions(), device, data);
      std::cout << "Cycle " << cycle << ": " << triangulation.n_active_cells() << " elements, "
                << dof_handler.n_dofs() << " degrees of freedom" << std::endl;
      Saltus::Vector<double> u;
      op.initialize_vector(u);
      op.project(state(initial, "Initial state"), u);
      if (limit)
        op.limit(u); // a shock in the initial state is one like any other
      advance(cycle, u);
      dealii::Vector<double> solution;
      op.copy_to(solution, u);
      if (!exact.empty())
        add_errors(cycle, solution);
    }

    void
    advance(const unsigned int cycle, Saltus::Vector<double> &u)
    {
      prm.enter_subsection("Time");
      TimeState time;
      time.cfl                           = prm.get_double("CFL number");
      time.max_dt                        = prm.get_double("Step size");
      const double             end       = prm.get_double("End time");
      const long               n_steps   = prm.get_integer("Steps");
      const double             tolerance = prm.get_double("Steady tolerance");
      TimeIntegrator<Operator> integrator(op, RungeKutta(prm.get("Scheme")), limit);
      prm.leave_subsection();
      prm.enter_subsection("Output");
      const double        interval = prm.get_double("Interval");
      SolutionWriter<dim> writer(mapping,
                                 triangulation,
                                 std::max(1u, degree),
                                 quantities(),
                                 prm.get("Directory"),
                                 prm.get("Name") + "_" + std::to_string(cycle));
      prm.leave_subsection();

      const auto             mass_before = op.integrals(u);
      Saltus::Vector<double> previous;
      op.initialize_vector(previous);
      Progress progress(0, 0., end, n_steps);
      write(writer, 0., u);
      double picture = interval;
      bool   steady  = false;
      while (time.time < end && time.n_steps < n_steps && !steady)
        {
          time.end = std::min(end, picture);
          op.set_time_state(time);
          // As many steps as may be done without looking at the result.
          const long batch = std::min<long>(100, n_steps - time.n_steps);
          integrator.steps(u, batch - 1);
          if (tolerance > 0.)
            previous = u;
          integrator.steps(u, 1);
          op.check_states();
          time   = op.time_state();
          steady = tolerance > 0. && time.dt > 0. && u.max_difference(previous) <= tolerance;
          if (time.time >= picture)
            {
              write(writer, time.time, u);
              picture += interval;
            }
          if (progress.due())
            progress.print(time.n_steps, time.time, time.dt);
        }
      progress.finish(time.n_steps, time.time, time.dt);
      write(writer, time.time, u);
      const auto mass = op.integrals(u), outflow = op.outflow();
      std::cout << "  " << time.n_steps << " steps to time " << time.time << ", balance of "
                << Law::conserved_names[0] << ": "
                << (mass[0] + outflow[0] - mass_before[0]) / std::abs(mass_before[0]) << std::endl;
    }

    static std::vector<std::string>
    quantities()
    {
      std::vector<std::string> names(Law::conserved_names,
                                     Law::conserved_names + Law::n_components);
      names.insert(names.end(), Law::derived_names, Law::derived_names + Law::n_derived);
      return names;
    }

    void
    write(SolutionWriter<dim> &writer, const double time, const Saltus::Vector<double> &u) const
    {
      dealii::Vector<double> solution;
      op.copy_to(solution, u);
      std::vector<typename DoFHandler<dim>::active_cell_iterator> cells(
        triangulation.n_active_cells());
      for (const auto &cell : dof_handler.active_cell_iterators())
        cells[cell->active_cell_index()] = cell;

      const auto                          &fe     = dof_handler.get_fe();
      const auto                          &points = writer.unit_points();
      std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
      Table<2, double>                     shape(fe.n_dofs_per_cell(), points.size());
      for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
        for (unsigned int q = 0; q < points.size(); ++q)
          shape(i, q) = fe.shape_value(i, points[q]);
      writer.write(time, [&](const unsigned int cell, Table<2, double> &values) {
        cells[cell]->get_dof_indices(indices);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            Array<double, Law::n_components> state{};
            for (unsigned int i = 0; i < indices.size(); ++i)
              state[fe.system_to_component_index(i).first] += solution(indices[i]) * shape(i, q);
            const auto derived = law.derived(state);
            for (int c = 0; c < Law::n_components; ++c)
              values(q, c) = state[c];
            for (int c = 0; c < Law::n_derived; ++c)
              values(q, Law::n_components + c) = derived[c];
          }
      });
    }

    void
    add_errors(const unsigned int cycle, const dealii::Vector<double> &solution)
    {
      const Expression expression(
        dim, exact, Law::n_components, constants, "Functions/Exact solution");
      FunctionParser<dim> parser(Law::n_components);
      parser.initialize(FunctionParser<dim>::default_variable_names() + ",t",
                        expression.text(),
                        expression.constants(),
                        true);
      parser.set_time(op.time_state().time);
      const ComponentSelectFunction<dim> first(0, Law::n_components);
      dealii::Vector<double>             cell_errors(triangulation.n_active_cells());
      VectorTools::integrate_difference(mapping,
                                        dof_handler,
                                        solution,
                                        parser,
                                        cell_errors,
                                        simplex_quadrature<dim>(2 * std::min(degree, 4u) + 4),
                                        VectorTools::L2_norm,
                                        &first);
      errors.add_value("cycle", cycle);
      errors.add_value("elements", triangulation.n_active_cells());
      errors.add_value("degrees of freedom", dof_handler.n_dofs());
      errors.add_value(error_name(),
                       VectorTools::compute_global_error(triangulation,
                                                         cell_errors,
                                                         VectorTools::L2_norm));
    }

    static std::string
    error_name()
    {
      return std::string("L2 error of ") + Law::conserved_names[0];
    }

    void
    print_table()
    {
      errors.set_precision(error_name(), 4);
      errors.set_scientific(error_name(), true);
      if (n_cycles > 1)
        errors.evaluate_convergence_rates(error_name(),
                                          "elements",
                                          ConvergenceTable::reduction_rate_log2,
                                          dim);
      errors.write_text(std::cout, TableHandler::org_mode_table);
    }

    ParameterHandler             &prm;
    const Device                  device;
    Law                           law;
    std::string                   velocity, initial, exact;
    bool                          primitive, limit;
    std::map<std::string, double> constants;
    unsigned int                  degree, quadrature_increase, n_cycles;
    Triangulation<dim>            triangulation;
    const MappingFE<dim>          mapping;
    DoFHandler<dim>               dof_handler;
    Operator                      op;
    ConvergenceTable              errors;
  };

  template <int dim>
  void
  run_in_dimension(ParameterHandler &prm, const std::string &type)
  {
    if (type == "Euler")
      Solver<dim, Euler<dim>>(prm).run();
    else
      Solver<dim, Advection<dim>>(prm).run();
  }

  void
  run(ParameterHandler &prm)
  {
    prm.enter_subsection("Equation");
    const std::string type = prm.get("Type");
    const int         dim  = prm.get_integer("Dimension");
    prm.leave_subsection();
    if (dim == 2)
      run_in_dimension<2>(prm, type);
    else
      run_in_dimension<3>(prm, type);
  }
} // namespace

int
main(int argc, char **argv)
{
  return run_application(argc,
                         argv,
                         "Solve a hyperbolic conservation law on triangles or tetrahedra.",
                         declare_parameters,
                         run);
}
