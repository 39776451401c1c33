// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_solver_h
#define applications_poisson_solver_h

#include <deal.II/fe/mapping_fe.h>
#include <deal.II/hp/fe_collection.h>

#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/elliptic/elliptic_scheme.h>
#include <saltus/io/files/run_times.h>
#include <saltus/io/files/solver_table.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/run_record.h>
#include <saltus/io/parameters/run_size.h>
#include <saltus/io/parameters/run_summary.h>
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
      , settings(settings)
      , functions(parameters.functions)
      , requests(parameters.evaluation,
                 scalar_quantities().identifiers(),
                 functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , elements(elements_of(parameters))
      , size(dim, element_needs(elements[elements.size() - 1]), device, communicator)
      , errors(error_norms(functions))
      , times(device, settings.begin)
    {
      const auto &equation         = parameters.equation;
      operator_data.diffusion      = elliptic_coefficient(functions,
                                                     equation.diffusion,
                                                     dim * (dim + 1) / 2,
                                                     equation.sampling,
                                                     "Equation/Diffusion",
                                                     "diffusion",
                                                     EquationParameters().diffusion);
      operator_data.reaction       = elliptic_coefficient(functions,
                                                    equation.reaction,
                                                    1,
                                                    equation.sampling,
                                                    "Equation/Reaction",
                                                    "reaction",
                                                    EquationParameters().reaction);
      operator_data.penalty_factor = parameters.discretization.penalty_factor;
    }

    void
    run()
    {
      print_device(std::cout, device, communicator);
      record_run(
        settings,
        parameters.output,
        device,
        communicator,
        [&](const std::function<void()> & /*write*/) { run_cycles(); },
        [&](Json &record) {
          record["cycles"]     = cycles;
          record["errors"]     = errors.json();
          record["solves"]     = iterations.json();
          record["wall times"] = times.parts.json();
        });
    }

  private:
    void
    run_cycles()
    {
      // Of meshes that follow the solution the first one is known beforehand.
      const unsigned int n_cycles =
        settings.is_dry && adaptivity.is_used() ? 1 : parameters.discretization.n_cycles;
      bool is_new = true; // the mesh
      for (unsigned int cycle = 0; cycle < n_cycles && is_new; ++cycle)
        {
          times.begin_cycle(cycle);
          if (cycle == 0)
            times.end("start");
          is_new = process(cycle);
          times.end("end");
          if (!is_new)
            std::cout << "No cell was to be refined or coarsened: cycle " << cycle
                      << ", counted from 0, is the last one, as the others of "
                         "Discretization/Cycles = "
                      << n_cycles << " would repeat it." << std::endl;
        }
      if (settings.is_dry)
        return;
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors(parameters.discretization.degree));
      iterations.print(std::cout);
      times.parts.print(std::cout);
    }

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
    /// @return whether the next cycle, if there is one, has another mesh
    bool
    process(const unsigned int cycle)
    {
      dof_handler.clear();
      if (cycle == 0 || !adaptivity.is_used())
        make_mesh(cycle);
      else
        announce(cycle, mesh.triangulation->n_global_active_cells());
      dof_handler.reinit(*mesh.triangulation);
      functions.check_on(*mesh.mapping, *mesh.triangulation);
      times.end("mesh");
      distribute_dofs(dof_handler, elements);
      times.end("spaces");
      const auto               scheme = std::make_shared<EllipticScheme<dim>>();
      const SolutionSpace<dim> space(*mesh.mapping, dof_handler, scalar_quantities(), scheme);
      AdditionalFields<dim>    additional(parameters.output.additional_fields, space);
      if (functions.has_exact_solution())
        additional.add_error(functions.exact_solution());
      shown = space.quantities.names;
      shown.insert(shown.end(), additional.names().begin(), additional.names().end());
      if (settings.is_dry)
        {
          Evaluation<dim>::check(requests, space);
          solve_on_mesh(cycle, *scheme);
          return true;
        }
      // Files go on from cycle to cycle, with its number as the time.
      std::optional<EvaluationRestart> before;
      if (cycle > 0)
        before.emplace(EvaluationRestart{of_files, {}});
      for (unsigned int c = 0; c < cycle; ++c)
        before->pictures.push_back(c);
      const OpenFiles     files(parameters.output.double_values);
      SolutionWriter<dim> pictures(*mesh.mapping,
                                   *mesh.triangulation,
                                   parameters.discretization.degree,
                                   shown,
                                   parameters.output.directory,
                                   parameters.output.name,
                                   files);
      if (before)
        pictures.continue_from(before->pictures);
      Evaluation<dim> evaluation(
        requests, space, parameters.output.directory, parameters.output.name, before, files);
      times.end("outputs");
      const SolutionVector solution = *solve_on_mesh(cycle, *scheme);
      times.end("solution");
      write_quantities(pictures, cycle, space, solution, {}, additional);
      times.end("pictures");
      evaluation.write_rows(cycle, solution);
      evaluation.write_pictures(cycle, solution);
      evaluation.save(of_files);
      cycles.back()["evaluations"] = evaluation.last_rows();
      times.end("evaluation");
      add_errors(cycle, solution);
      times.end("errors");
      if (!adaptivity.is_used() || cycle + 1 == parameters.discretization.n_cycles)
        return true;
      const bool is_changed = adapt(solution);
      times.end("adaption");
      return is_changed;
    }

    void
    make_mesh(const unsigned int cycle)
    {
      using OnP4est = dealii::parallel::distributed::Triangulation<dim>;
      mesh          = {};
      mesh          = parameters.mesh.make<dim>(
        cycle,
        settings.parameter_file,
        communicator,
        [&](const double n_elements) { announce(cycle, n_elements); },
        adaptivity.is_used(),
        functions.boundary_conditions().periodic(),
        {},
        !settings.is_dry);
      times.take("curving", mesh.curving_time);
      std::cout << mesh.report;
      if (adaptivity.is_used())
        adaptor = std::make_unique<MeshAdaptor<dim>>(dynamic_cast<OnP4est &>(*mesh.triangulation),
                                                     *mesh.mapping,
                                                     adaptivity.rules);
    }

    /// @return whether the mesh has changed
    bool
    adapt(const SolutionVector &solution)
    {
      const auto     of_cells = mesh.parts(functions.boundary_conditions().periodic())[0];
      Vector<double> u(Device::cpu(), of_cells->n_elements(), elements[0].n_dofs_per_cell(), 1);
      DoFMap(*of_cells, dof_handler).copy_from(u, solution);
      return adaptor->adapt(*of_cells, u).has_value();
    }

    void
    announce(const unsigned int cycle, const double n_elements) const
    {
      size.announce(std::cout, "Cycle " + std::to_string(cycle), n_elements);
    }

    /// Say what the solver will find, and note it.
    void
    summarize(const unsigned int cycle, const MixedMesh<dim> &parts)
    {
      const SolverParameters &solver = parameters.solver;
      RunSummary              summary;
      summary.note("cycle", cycle);
      summary.note("degrees of freedom", dof_handler.n_dofs());
      add_elements(summary, parts);
      add_degrees(summary, parameters.discretization.degree, parameters.discretization.degree);
      size.note(summary, mesh.triangulation->n_global_active_cells());
      add_memory(summary, device, communicator);
      add_solver(summary, solver.type, solver.preconditioner, solver.settings);
      add_files(summary,
                mesh,
                parameters.discretization.degree,
                shown,
                parameters.output,
                requests.tables());
      summary.print(std::cout);
      cycles.push_back(summary.json());
      times.end("summary");
    }

    /// @param scheme notes the fluxes that the tables need
    /// @return nothing in a dry run, which ends when all is set up
    std::optional<SolutionVector>
    solve_on_mesh(const unsigned int cycle, EllipticScheme<dim> &scheme)
    {
      Operator             A;
      const auto          &conditions  = functions.boundary_conditions();
      const MixedMesh<dim> parts       = mesh.parts(conditions.periodic());
      double               set_up_time = times.end("elements");
      A.reinit(of_operator(parts), dof_handler, conditions, device, operator_data);
      set_up_time += times.end("operator");
      VectorType x, b;
      A.initialize_vector(x);
      A.right_hand_side(b, functions.source());
      if (A.is_singular())
        balance(A, b);
      set_up_time += times.end("right-hand side");
      const double                 penalty_factor = parameters.discretization.penalty_factor;
      const LinearSolver<Operator> solver         = suspect_penalty(penalty_factor, [&]() {
        return suspect(
          parameters.solver.suspicion(),
          [&]() { return LinearSolver<Operator>(A, parameters.solver); },
          "positive");
      });
      for (const auto &[name, seconds] : solver.set_up_times())
        times.take(name, seconds);
      set_up_time += times.end("preconditioner");
      summarize(cycle, parts);
      if (settings.is_dry)
        return {};

      const SolveReport solve_report = suspect_penalty(penalty_factor, [&]() {
        return suspect(
          parameters.solver.suspicion(), [&]() { return solver.solve(x, b); }, "positive");
      });
      times.end("solve");
      report(solve_report, set_up_time);
      print_parts(solver.time_parts(solve_report));
      times.end("parts of an iteration");
      if (A.is_singular())
        A.set_mean_value(x, mean_of_solution());
      if (!requests.flux_ids.empty())
        scheme.note(A, conditions, operator_data.diffusion, x, requests.flux_ids);
      return solution_vector(dof_handler, A, x);
    }

    /// What the operator is set up on.
    static const auto &
    of_operator(const MixedMesh<dim> &parts)
    {
      if constexpr (is_mixed)
        return parts;
      else
        return parts[0];
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
      errors.add(cycle,
                 mesh.triangulation->n_global_active_cells(),
                 dof_handler.n_dofs(),
                 elliptic_errors(*mesh.mapping, dof_handler, solution, functions));
    }

    const MPI_Comm                   communicator = MPI_COMM_WORLD;
    const Parameters                 parameters;
    const RunSettings                settings;
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
    std::vector<std::string>          shown;    ///< names of the fields in VTU files
    Checkpoint                        of_files; ///< what Evaluation::save() notes
    std::vector<Json>                 cycles;   ///< for the record
    ErrorTable                        errors;
    SolverTable                       iterations;
    RunTimes                          times;
  };
} // namespace Saltus::Poisson

#endif
