// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_solver_h
#define applications_poisson_solver_h

#include <deal.II/fe/mapping_fe.h>
#include <deal.II/hp/fe_collection.h>

#include <saltus/base/device/stopwatch.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/files/output_lock.h>
#include <saltus/io/files/solver_table.h>
#include <saltus/io/files/time_table.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/run_size.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/evaluation.h>
#include <saltus/io/results/solution_output.h>

#include "../common/elliptic_problem.h"
#include "../common/suspect_penalty.h"
#include "linear_solver.h"
#include "parameters.h"
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <type_traits>

namespace Saltus::Poisson
{
  /// A Poisson problem from the parameters to the tables.
  /// @tparam Operator see LinearSolver
  template <int dim, typename Operator = LaplaceOperator<dim>>
  class Solver
  {
    using VectorType = typename Operator::VectorType;

    static constexpr bool is_mixed = std::is_same_v<Operator, MixedLaplaceOperator<dim>>;

  public:
    Solver(const Parameters &parameters, const RunSettings &settings)
      : parameters(parameters)
      , parameter_file(settings.parameter_file)
      , functions(parameters.functions)
      , requests(parameters.evaluation,
                 scalar_quantities().identifiers(),
                 functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , elements(elements_of(parameters))
      , size(dim, element_needs(elements[elements.size() - 1]), device, communicator)
      , errors(error_norms(functions))
      , watch(device)
    {
      const auto &equation    = parameters.equation;
      operator_data.diffusion = elliptic_coefficient(functions,
                                                     equation.diffusion,
                                                     dim * (dim + 1) / 2,
                                                     equation.sampling,
                                                     "Equation/Diffusion");
      operator_data.reaction  = elliptic_coefficient(
        functions, equation.reaction, 1, equation.sampling, "Equation/Reaction");
      operator_data.penalty_factor = parameters.discretization.penalty_factor;
    }

    void
    run()
    {
      print_device(std::cout, device, communicator);
      const OutputLock lock(parameters.output.directory, communicator);
      watch.lap();
      for (unsigned int cycle = 0; cycle < parameters.discretization.n_cycles; ++cycle)
        {
          times.begin_cycle(cycle);
          process(cycle);
        }
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors());
      iterations.print(std::cout);
      times.print(std::cout);
    }

  private:
    /// One a shape.
    static dealii::hp::FECollection<dim>
    elements_of(const Parameters &parameters)
    {
      dealii::hp::FECollection<dim> elements;
      for (const dealii::ReferenceCell &shape : parameters.mesh.template shapes<dim>())
        elements.push_back(*dg_element<dim>(shape, parameters.discretization.degree));
      return elements;
    }

    /// Solution and right-hand side, and what conjugate gradients need.
    static ElementNeeds
    element_needs(const dealii::FiniteElement<dim> &fe)
    {
      return {{fe.n_dofs_per_cell()}, "", 5, sizeof(double)};
    }

    /// Solve on the present mesh, write the picture, add to the tables.
    void
    process(const unsigned int cycle)
    {
      dof_handler.clear();
      if (cycle == 0 || !adaptivity.is_used())
        make_mesh(cycle);
      else
        announce(cycle, mesh.triangulation->n_global_active_cells());
      dof_handler.reinit(*mesh.triangulation);
      functions.check_on(*mesh.mapping, *mesh.triangulation);
      distribute_dofs(dof_handler, elements);
      end_section("mesh");
      // Files go on from cycle to cycle, with its number as the time.
      std::optional<EvaluationRestart> before;
      if (cycle > 0)
        before.emplace(EvaluationRestart{of_files, {}});
      for (unsigned int c = 0; c < cycle; ++c)
        before->pictures.push_back(c);
      const SolutionSpace<dim> space(*mesh.mapping, dof_handler, scalar_quantities());
      SolutionWriter<dim>      pictures(*mesh.mapping,
                                   *mesh.triangulation,
                                   parameters.discretization.degree,
                                   functions.has_exact_solution()
                                          ? std::vector<std::string>{"u", "error"}
                                          : std::vector<std::string>{"u"},
                                   parameters.output.directory,
                                   parameters.output.name);
      if (before)
        pictures.continue_from(before->pictures);
      Evaluation<dim> evaluation(
        requests, space, parameters.output.directory, parameters.output.name, before);
      const SolutionVector solution = solve_on_mesh();
      write_scalar(pictures,
                   cycle,
                   *mesh.mapping,
                   dof_handler,
                   solution,
                   functions.has_exact_solution()
                     ? std::optional<Expression>(functions.exact_solution())
                     : std::nullopt);
      evaluation.write_rows(cycle, solution);
      evaluation.write_pictures(cycle, solution);
      evaluation.save(of_files);
      end_section("output");
      add_errors(cycle, solution);
      end_section("errors");
      if (adaptivity.is_used() && cycle + 1 < parameters.discretization.n_cycles)
        {
          adaptor->adapt(solution);
          end_section("adaption");
        }
    }

    void
    make_mesh(const unsigned int cycle)
    {
      using OnP4est = dealii::parallel::distributed::Triangulation<dim>;
      mesh          = {};
      mesh          = parameters.mesh.make<dim>(
        cycle,
        parameter_file,
        communicator,
        [&](const double n_elements) { announce(cycle, n_elements); },
        adaptivity.is_used(),
        functions.boundary_conditions().periodic());
      std::cout << mesh.report;
      if (adaptivity.is_used())
        adaptor = std::make_unique<MeshAdaptor<dim>>(dynamic_cast<OnP4est &>(*mesh.triangulation),
                                                     *mesh.mapping,
                                                     elements[0],
                                                     adaptivity.rules);
    }

    void
    announce(const unsigned int cycle, const double n_elements) const
    {
      size.announce(std::cout, "Cycle " + std::to_string(cycle), n_elements);
    }

    /// What was done since the last section belongs to this one.
    /// @return its seconds
    double
    end_section(const std::string &name)
    {
      const double seconds = watch.lap();
      times.add(name, seconds);
      return seconds;
    }

    SolutionVector
    solve_on_mesh()
    {
      Operator    A;
      const auto &conditions = functions.boundary_conditions();
      A.reinit(meshes(conditions.periodic()), dof_handler, conditions, device, operator_data);
      double     set_up_time = end_section("operator");
      VectorType x, b;
      A.initialize_vector(x);
      A.right_hand_side(b, functions.source());
      if (A.is_singular())
        balance(A, b);
      set_up_time += end_section("right-hand side");
      const double                 penalty_factor = parameters.discretization.penalty_factor;
      const LinearSolver<Operator> solver         = suspect_penalty(penalty_factor, [&]() {
        return LinearSolver<Operator>(A, parameters.solver);
      });
      for (const auto &[name, seconds] : solver.set_up_times())
        times.add(name, seconds);
      set_up_time += watch.lap();

      const SolveReport solve_report =
        suspect_penalty(penalty_factor, [&]() { return solver.solve(x, b); });
      report(solve_report, set_up_time);
      print_parts(solver.time_parts(solve_report));
      if (A.is_singular())
        A.set_mean_value(x, mean_of_solution());
      SolutionVector solution = solution_vector(dof_handler, A, x);
      end_section("solve");
      return solution;
    }

    /// What the operator is set up on.
    auto
    meshes(const std::vector<PeriodicBoundary> &periodic) const
    {
      if constexpr (is_mixed)
        return mesh.parts(periodic);
      else
        return mesh.elements(periodic);
    }

    /// Make the right-hand side one for which there is a solution.
    static void
    balance(const Operator &A, VectorType &b)
    {
      const double norm = b.l2_norm(), removed = A.remove_null_space(b);
      std::cout << "  The solution is determined up to a constant: "
                << (norm > 0. ? removed / norm : 0.)
                << " of the right-hand side's norm is removed to balance the data" << std::endl;
    }

    /// A line of the output and a row of the table.
    void
    report(const SolveReport &solve_report, const double set_up_time)
    {
      iterations.add({dof_handler.n_dofs(),
                      solve_report.iterations,
                      set_up_time,
                      solve_report.seconds,
                      solve_report.reduction});
      std::cout << "  " << parameters.solver.type
                << ", preconditioner: " << parameters.solver.preconditioner << ": "
                << solve_report.iterations << " iterations, " << solve_report.seconds << " s"
                << std::endl;
      if (solve_report.stagnates)
        std::cout << "  The residual stagnates at " << solve_report.reduction
                  << " of the right-hand side, above Solver/Tolerance = "
                  << parameters.solver.settings.tolerance
                  << ": rounding errors allow no smaller one" << std::endl;
    }

    /// What an iteration consists of.
    static void
    print_parts(const std::vector<std::pair<std::string, double>> &parts)
    {
      if (parts.empty())
        return;
      std::ostringstream text;
      text << std::setprecision(3) << "  ms an iteration:";
      for (const auto &[name, seconds] : parts)
        text << (&name == &parts.front().first ? " " : "; ") << name << ' ' << 1e3 * seconds;
      std::cout << text.str() << std::endl;
    }

    /// Of a problem that does not determine it.
    double
    mean_of_solution() const
    {
      return functions.has_exact_solution()
               ? mean_value(*mesh.mapping, dof_handler, functions.exact_solution())
               : 0.;
    }

    void
    add_errors(const unsigned int cycle, const SolutionVector &solution)
    {
      if (!functions.has_exact_solution())
        return;
      std::vector<double> values = {
        l2_error(*mesh.mapping, dof_handler, solution, functions.exact_solution(), 0.)};
      if (functions.has_exact_gradient())
        values.push_back(
          h1_seminorm_error(*mesh.mapping, dof_handler, solution, functions.exact_gradient()));
      errors.add(cycle, mesh.triangulation->n_global_active_cells(), dof_handler.n_dofs(), values);
    }

    const MPI_Comm                   communicator = MPI_COMM_WORLD;
    const Parameters                 parameters;
    const std::string                parameter_file;
    const EllipticFunctions<dim>     functions;
    const EvaluationRequests<dim>    requests;
    const Device                     device;
    const CycleAdaptivityParameters &adaptivity = parameters.adaptivity;

    const dealii::hp::FECollection<dim> elements;
    const RunSize                       size;
    typename Operator::AdditionalData   operator_data;

    MappedMesh<dim>                   mesh;
    std::unique_ptr<MeshAdaptor<dim>> adaptor; ///< of a mesh that follows the solution
    dealii::DoFHandler<dim>           dof_handler;
    Checkpoint                        of_files; ///< what Evaluation::save() notes
    ErrorTable                        errors;
    SolverTable                       iterations;
    Stopwatch                         watch;
    TimeTable                         times;
  };
} // namespace Saltus::Poisson

#endif
