// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_solver_h
#define applications_polytopic_solver_h

#include <saltus/base/expressions/batch_function.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/elliptic/elliptic_scheme.h>
#include <saltus/io/files/run_times.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/files/solver_table.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/run_record.h>
#include <saltus/io/parameters/run_summary.h>
#include <saltus/io/results/additional_fields.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/evaluation.h>
#include <saltus/operators/polytopic/polytopic_boundary_fluxes.h>

#include "../common/suspect_penalty.h"
#include "adaptivity.h"
#include "functions.h"
#include "linear_solver.h"
#include "parameters.h"
#include "spread_elements.h"
#include <iostream>
#include <memory>
#include <optional>

namespace Saltus::Polytopic
{
  /// A problem on polytopic elements from the parameters to the tables.
  template <int dim>
  class Solver
  {
  public:
    Solver(const Parameters &parameters, const RunSettings &settings)
      : parameters(parameters)
      , chosen_solver(parameters.chosen_solver())
      , settings(settings)
      , functions(parameters.functions)
      , requests(parameters.evaluation,
                 scalar_quantities().identifiers(),
                 functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , operator_data(polytopic_data(functions, parameters))
      , adaptivity(parameters.adaptivity, functions, communicator)
      , errors(error_norms(functions))
      , times(device, settings.begin)
    {}

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
          record["cycles"] = cycles;
          record["errors"] = errors.json();
          if (adaptivity.is_used())
            record["estimates"] = adaptivity.estimate_table().json();
          record["solves"]     = iterations.json();
          record["wall times"] = times.parts.json();
        });
    }

  private:
    void
    run_cycles()
    {
      for (unsigned int cycle = 0; cycle < parameters.discretization.n_cycles; ++cycle)
        {
          times.begin_cycle(cycle);
          if (cycle == 0)
            times.end("start");
          const bool is_changed = process(cycle);
          times.end("end");
          if (!is_changed)
            break;
        }
      if (settings.is_dry)
        return;
      if (functions.has_exact_solution())
        errors.print(std::cout,
                     dim,
                     functions.reference_errors(parameters.discretization.degree),
                     adaptivity.is_used() ? RatesBy::unknowns : RatesBy::elements);
      if (adaptivity.is_used())
        adaptivity.estimate_table().print(std::cout);
      iterations.print(std::cout);
      times.parts.print(std::cout);
    }

    /// Solve on the present mesh, write the picture, add to the tables.
    /// @return whether the next cycle has other elements or degrees
    bool
    process(const unsigned int cycle)
    {
      const PolytopicSpace<dim> space =
        adaptivity.has_elements() ? adaptivity.elements() : first_elements(cycle);
      times.end("agglomeration");
      dealii::hp::FECollection<dim> elements;
      for (const auto &shape : parameters.mesh.template shapes<dim>())
        elements.push_back(*dg_element<dim>(shape, space.degree_on_cells()));
      distribute_dofs(dof_handler, elements);
      std::cout << "Cycle " << cycle << ": " << mesh.triangulation->n_global_active_cells()
                << " cells, " << space.mesh().n_global_elements() << " elements, " << space.n_dofs()
                << " degrees of freedom" << std::endl;
      times.end("spaces");
      const auto                  scheme = std::make_shared<EllipticScheme<dim>>();
      const SolutionSpace<dim>    on_cells(*mesh.mapping, dof_handler, scalar_quantities(), scheme);
      const AdditionalFields<dim> additional(parameters.output.additional_fields, on_cells);
      shown = shown_quantities();
      shown.insert(shown.end(), additional.names().begin(), additional.names().end());

      if (settings.is_dry)
        {
          Evaluation<dim>::check(requests, on_cells);
          PolytopicOperator<dim> op;
          set_up(op, cycle, space);
          return !adaptivity.is_used(); // what follows depends on the solution
        }
      const std::vector<double> coefficients = solve(cycle, space, *scheme);
      SolutionVector            solution(dof_handler.locally_owned_dofs(), communicator);
      space.copy_to_cells(coefficients, dof_handler, solution);
      times.end("solution");
      write_picture(cycle, space, coefficients, solution, additional);
      times.end("pictures");
      evaluate(cycle, on_cells, solution);
      times.end("evaluation");
      add_errors(cycle, space, solution);
      times.end("errors");
      if (!adaptivity.is_used() || cycle + 1 == parameters.discretization.n_cycles)
        return true;
      const bool changed = adaptivity.adapt(space, coefficients, std::cout);
      if (changed)
        adaptivity.balance(
          [this](const MeshCut<dim> &cut) -> const MappedMesh<dim> & {
            make_mesh(0, cut); // as before the first cycle
            return mesh;
          },
          std::cout);
      times.end("adaption");
      return changed;
    }

    PolytopicSpace<dim>
    first_elements(const unsigned int cycle)
    {
      SpreadElements<dim> elements(parameters.agglomeration, settings.parameter_file);
      make_mesh(cycle, elements.cut());
      const Agglomeration<dim> agglomeration = elements.on(*mesh.triangulation);
      std::cout << mesh.report;
      functions.check_on(*mesh.mapping, *mesh.triangulation);
      check_determined();
      times.end("mesh");
      const auto polytopes =
        std::make_shared<const PolytopicMesh<dim>>(*mesh.mapping,
                                                   agglomeration,
                                                   parameters.agglomeration.axes);
      const PolytopicSpace<dim> space(
        polytopes, degrees_of_elements(functions, parameters.discretization, *polytopes));
      adaptivity.check_first(space);
      return space;
    }

    void
    make_mesh(const unsigned int cycle, const MeshCut<dim> &cut)
    {
      dof_handler.clear();
      mesh = {};
      mesh = parameters.mesh.make<dim>(
        cycle,
        settings.parameter_file,
        communicator,
        [](const double) {},
        false,
        {},
        cut,
        !settings.is_dry);
      times.take("curving", mesh.curving_time);
      dof_handler.reinit(*mesh.triangulation);
    }

    /// @throws dealii::ExcMessage if anything, or a constant, can be added to the solution
    void
    check_determined() const
    {
      if (!parameters.equation.velocity.empty() || !operator_data.reaction.field.empty() ||
          operator_data.reaction.constant != 0.)
        return;
      AssertThrow(!operator_data.diffusion.field.empty() || operator_data.diffusion.constant != 0.,
                  dealii::ExcMessage("Equation/Diffusion and Equation/Reaction are 0, and there is "
                                     "no Equation/Velocity: nothing is left of the equation."));
      for (const auto &[id, condition] : functions.boundary_conditions().conditions())
        if (condition.kind == EllipticBoundary::dirichlet ||
            (condition.kind == EllipticBoundary::robin && condition.robin > 0.))
          return;
      AssertThrow(false,
                  dealii::ExcMessage(
                    "The solution is determined up to a constant only: with Neumann conditions on "
                    "all boundaries, Equation/Reaction must not be 0."));
    }

    /// Names of the fields in VTU files, without additional ones.
    std::vector<std::string>
    shown_quantities() const
    {
      std::vector<std::string> names = {"u", "element", "degree"};
      if (adaptivity.is_used())
        names.emplace_back("estimate");
      if (functions.has_exact_solution())
        names.emplace_back("error");
      return names;
    }

    /// Say what the solver will find, and note it.
    void
    summarize(const unsigned int            cycle,
              const PolytopicSpace<dim>    &space,
              const PolytopicOperator<dim> &op)
    {
      RunSummary summary;
      summary.note("cycle", cycle);
      summary.note("degrees of freedom", space.n_dofs());
      add_elements(summary, space);
      const double bytes =
        sizeof(double) * sum_over_ranks(op.sparsity()->partition, op.sparsity()->n_values());
      summary.add("matrix",
                  text_of_bytes(bytes) + (n_ranks(communicator) > 1 ? " on all ranks" : ""),
                  bytes);
      add_memory(summary, device, communicator);
      add_solver(summary,
                 chosen_solver.type_name(),
                 chosen_solver.preconditioner_name(),
                 chosen_solver.settings);
      add_files(summary, mesh, space.max_degree(), shown, parameters.output, requests.tables());
      summary.print(std::cout);
      cycles.push_back(summary.json());
      times.end("summary");
    }

    /// @return the seconds that it took
    double
    set_up(PolytopicOperator<dim> &op, const unsigned int cycle, const PolytopicSpace<dim> &space)
    {
      op.reinit(space, functions.boundary_conditions(), device, operator_data);
      const double seconds = times.end("quadrature points");
      check_memory_of_solver(*op.sparsity(), chosen_solver, device, communicator);
      summarize(cycle, space, op);
      return seconds;
    }

    /// @param scheme notes the fluxes that the tables need
    std::vector<double>
    solve(const unsigned int cycle, const PolytopicSpace<dim> &space, EllipticScheme<dim> &scheme)
    {
      PolytopicOperator<dim> op;
      double                 set_up_time = set_up(op, cycle, space);
      BlockCSRMatrix<double> A(op.sparsity(), device);
      set_up_time += times.end("room for the matrix");
      op.assemble(A);
      const double   assembly = times.end("assembly");
      Vector<double> x, b;
      op.initialize_vector(x);
      if (adaptivity.has_elements())
        x.set_entries(adaptivity.initial_guess());
      op.right_hand_side(b, functions.source());
      set_up_time += assembly + times.end("right-hand side");
      const auto n_blocks = sum_over_ranks(op.sparsity()->partition, op.sparsity()->n_blocks());
      const auto n_values = sum_over_ranks(op.sparsity()->partition, op.sparsity()->n_values());
      std::cout << "  matrix: " << n_blocks << " blocks, " << n_values << " numbers, assembled in "
                << assembly << " s\n"
                << note_on_dependence(A, chosen_solver, parameters.agglomeration.axes)
                << std::flush;
      const double      penalty_factor = parameters.discretization.penalty_factor;
      const SolveReport report         = suspect_penalty(penalty_factor, [&]() {
        return suspect(
          chosen_solver.suspicion(),
          [&]() {
            const LinearSolver<dim> solver(op, A, chosen_solver);
            set_up_time += times.end("preconditioner");
            return solver.solve(x, b);
          },
          "positive");
      });
      iterations.add(
        {space.n_dofs(), report.iterations, set_up_time, report.seconds, report.reduction});
      std::cout << "  " << report.iterations << " iterations, " << report.seconds << " s"
                << std::endl;
      if (report.stagnates)
        std::cout << "  The residual stagnates at " << report.reduction
                  << " of the right-hand side, above Solver/Tolerance = "
                  << chosen_solver.settings.tolerance << ": rounding errors allow no smaller one"
                  << std::endl;
      times.end("solve");
      const std::vector<double> coefficients = x.entries();
      if (!requests.flux_ids.empty())
        scheme.note(boundary_fluxes(op, coefficients, requests.flux_ids));
      if (adaptivity.is_used())
        {
          adaptivity.estimate(op, coefficients);
          times.end("estimate");
        }
      return coefficients;
    }

    /// The solution, and which element and degree there is where.
    void
    write_picture(const unsigned int           cycle,
                  const PolytopicSpace<dim>   &space,
                  const std::vector<double>   &coefficients,
                  const SolutionVector        &solution,
                  const AdditionalFields<dim> &additional) const
    {
      SolutionWriter<dim> pictures(*mesh.mapping,
                                   *mesh.triangulation,
                                   space.max_degree(),
                                   shown,
                                   parameters.output.directory,
                                   parameters.output.name,
                                   OpenFiles(parameters.output.double_values));
      if (cycle > 0)
        pictures.continue_from(before(cycle).pictures);
      const auto                numbers = numbers_by_cells(space.mesh());
      std::vector<unsigned int> elements; // of this rank's cells
      for (const auto &cell : cells_in_order(*mesh.triangulation))
        elements.push_back(space.mesh().element_of(cell->active_cell_index()));
      const auto more = additional.picture(pictures.unit_points(),
                                           solution,
                                           shown.size() - additional.names().size());
      pictures.write(cycle, [&]() {
        const auto                   add = more();
        std::optional<BatchFunction> exact;
        if (functions.has_exact_solution())
          exact.emplace().add(functions.exact_solution(), 0, 1);
        return [&, exact, add](const unsigned int cell, const auto &points, auto &values) mutable {
          const unsigned int element = elements[cell];
          if (exact)
            exact->evaluate(points, 0.);
          for (unsigned int q = 0; q < points.size(); ++q)
            {
              values(q, 0)      = space.value(coefficients, element, points[q]);
              values(q, 1)      = numbers[element];
              values(q, 2)      = space.degree(element);
              unsigned int next = 3;
              if (adaptivity.is_used())
                values(q, next++) = adaptivity.estimates()[element];
              if (exact)
                values(q, next) = values(q, 0) - exact->values(0)[q];
            }
          add(cell, points, values);
        };
      });
    }

    /// What the section `Evaluation` asks for.
    void
    evaluate(const unsigned int        cycle,
             const SolutionSpace<dim> &space,
             const SolutionVector     &solution)
    {
      const std::optional<EvaluationRestart> restart =
        cycle > 0 ? std::optional<EvaluationRestart>(before(cycle)) : std::nullopt;
      Evaluation<dim> evaluation(requests,
                                 space,
                                 parameters.output.directory,
                                 parameters.output.name,
                                 restart,
                                 OpenFiles(parameters.output.double_values));
      evaluation.write_rows(cycle, solution);
      evaluation.write_pictures(cycle, solution);
      evaluation.save(of_files);
      cycles.back()["evaluations"] = evaluation.last_rows();
    }

    /// Files go on from cycle to cycle, with its number as the time.
    EvaluationRestart
    before(const unsigned int cycle) const
    {
      EvaluationRestart result{of_files, {}};
      for (unsigned int c = 0; c < cycle; ++c)
        result.pictures.push_back(c);
      return result;
    }

    void
    add_errors(const unsigned int         cycle,
               const PolytopicSpace<dim> &space,
               const SolutionVector      &solution)
    {
      if (!functions.has_exact_solution())
        return;
      errors.add(cycle,
                 space.mesh().n_global_elements(),
                 space.n_dofs(),
                 elliptic_errors(*mesh.mapping, dof_handler, solution, functions));
    }

    const MPI_Comm                communicator = MPI_COMM_WORLD;
    const Parameters              parameters;
    const SolverParameters        chosen_solver;
    const RunSettings             settings;
    const EllipticFunctions<dim>  functions;
    const EvaluationRequests<dim> requests;
    const Device                  device;

    const typename PolytopicOperator<dim>::AdditionalData operator_data;

    MappedMesh<dim>          mesh;
    Adaptivity<dim>          adaptivity; ///< refers to the mesh
    dealii::DoFHandler<dim>  dof_handler;
    std::vector<std::string> shown;    ///< names of the fields in VTU files
    Checkpoint               of_files; ///< what Evaluation::save() notes
    std::vector<Json>        cycles;   ///< for the record
    ErrorTable               errors;
    SolverTable              iterations;
    RunTimes                 times;
  };
} // namespace Saltus::Polytopic

#endif
