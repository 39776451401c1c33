// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_slab_problem_h
#define applications_polytopic_slab_problem_h

#include <saltus/base/ranks/collective.h>
#include <saltus/fe/dg_element.h>
#include <saltus/operators/polytopic/space_time_operator.h>

#include "../common/suspect_penalty.h"
#include "../common/time_run.h"
#include "functions.h"
#include "linear_solver.h"
#include "parameters.h"
#include "spread_elements.h"
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

namespace Saltus::Polytopic
{
  /// A parabolic problem on one mesh, slab by slab. Between slabs there is a polytopic function.
  template <int dim>
  class SlabProblem : public TimeProblem<dim, Vector<double>>
  {
  public:
    /// @param parameters,functions,cycle are not copied
    /// @param elements those of the cycle's mesh
    SlabProblem(const Parameters              &parameters,
                const ParabolicFunctions<dim> &functions,
                const SpreadElements<dim>     &elements,
                const RunCycle<dim>           &cycle)
      : parameters(parameters)
      , chosen_solver(parameters.chosen_solver())
      , functions(functions)
      , cycle(cycle)
      , polytopes(std::make_shared<const PolytopicMesh<dim>>(cycle.mapping,
                                                             elements.on(cycle.triangulation),
                                                             parameters.agglomeration.axes))
      , polytopic_space(polytopes,
                        degrees_of_elements(functions, parameters.discretization, *polytopes))
      , numbers(numbers_by_cells(*polytopes))
      , of_elements(numbers, cycle.triangulation.get_communicator())
      , of_cells(cycle.triangulation)
    {
      cycle.times.end("agglomeration");
      dealii::hp::FECollection<dim> of_shapes;
      for (const auto &shape : parameters.mesh.template shapes<dim>())
        of_shapes.push_back(*dg_element<dim>(shape, polytopic_space.degree_on_cells()));
      distribute_dofs(of_cells, of_shapes);
      cycle.times.end("spaces");
      typename SpaceTimeOperator<dim>::AdditionalData data{polytopic_data(functions, parameters),
                                                           functions.source(),
                                                           parameters.time.basis};
      const auto                                      n_steps = numbers_of_elements(functions,
                                               parameters.time.local_steps,
                                               "Time/Local steps",
                                               "steps in a slab are",
                                               SpaceTimeSlab<dim>::max_steps,
                                               *polytopes);
      op.reinit(polytopic_space, n_steps, functions.boundary_conditions(), cycle.device, data);
      op.initialize_vector(x);
      op.initialize_vector(b);
      op.initialize_trace(state);
      std::cout << "Cycle " << cycle.number << ": " << cycle.triangulation.n_global_active_cells()
                << " cells, " << polytopes->n_global_elements() << " elements, "
                << polytopic_space.n_dofs()
                << " degrees of freedom; a slab: " << op.slab().n_global_prisms() << " prisms, "
                << op.n_dofs() << std::endl;
    }

    dealii::types::global_dof_index
    n_dofs() const override
    {
      return op.n_dofs();
    }

    std::optional<dealii::types::global_cell_index>
    n_elements() const override
    {
      return polytopes->n_global_elements();
    }

    void
    summarize(RunSummary &summary) const override
    {
      add_elements(summary, polytopic_space);
      summary.note("prisms of a slab", op.slab().n_global_prisms());
      summary.note("degrees of freedom of a slab", op.n_dofs());
      add_solver(summary,
                 chosen_solver.type_name(),
                 chosen_solver.preconditioner_name(),
                 chosen_solver.settings);
    }

    SolutionSpace<dim>
    space() const override
    {
      return {cycle.mapping, of_cells, scalar_quantities()};
    }

    const Vector<double> &
    coefficients() override
    {
      return state;
    }

    void
    copy_to(SolutionVector &to, const Vector<double> &coefficients) const override
    {
      polytopic_space.copy_to_cells(coefficients.entries(), of_cells, to);
    }

    std::vector<CellField>
    cell_fields() const override
    {
      std::vector<CellField> fields = {{"element", {}}, {"degree", {}}, {"steps", {}}};
      for (const auto &cell : cells_in_order(cycle.triangulation))
        {
          const unsigned int element = polytopes->element_of(cell->active_cell_index());
          fields[0].values.push_back(numbers[element]);
          fields[1].values.push_back(polytopic_space.degree(element));
          fields[2].values.push_back(op.slab().n_steps(element));
        }
      return fields;
    }

    std::vector<std::string>
    columns() const override
    {
      return {"time", "step size", "step", "iterations", "reduction"};
    }

    std::vector<double>
    row(const TimeState &time) override
    {
      return {time.time,
              time.dt,
              static_cast<double>(time.n_steps),
              static_cast<double>(report.iterations),
              report.reduction};
    }

    bool
    start(const std::function<bool()> & /*stop*/) override
    {
      op.project(state, functions.initial_condition());
      return true;
    }

    /// By polytopic elements.
    void
    save_coefficients(Checkpoint        &checkpoint,
                      const std::string &name,
                      const ElementBlocks & /*elements*/,
                      const Vector<double> &values) const override
    {
      checkpoint.set_by_element(name,
                                of_elements,
                                padded(polytopic_space, values.entries()),
                                n_padded());
    }

    void
    load_coefficients(const Checkpoint  &checkpoint,
                      const std::string &name,
                      const ElementBlocks & /*elements*/,
                      Vector<double> &values) const override
    {
      values.set_entries(
        without_padding(polytopic_space, checkpoint.get_by_element(name, of_elements, n_padded())));
    }

    void
    save(Checkpoint &checkpoint) const override
    {
      save_coefficients(checkpoint, "state", cycle.elements, state);
      checkpoint.set_by_element("elements", cycle.elements, elements_of_cells(), 1);
      checkpoint.set("change", change);
      checkpoint.set("iterations", std::int64_t{report.iterations});
      checkpoint.set("reduction", report.reduction);
      checkpoint.set("squared gradient error", squared_gradient_error);
    }

    void
    restore(const Checkpoint &checkpoint) override
    {
      const std::vector<double> elements = checkpoint.get_by_element("elements", cycle.elements, 1);
      on_all_ranks(cycle.triangulation.get_communicator(), [&]() {
        AssertThrow(elements == elements_of_cells(),
                    dealii::ExcMessage(
                      "The checkpoint was written with other polytopic elements."));
      });
      load_coefficients(checkpoint, "state", cycle.elements, state);
      change                 = checkpoint.get_double("change");
      report.iterations      = checkpoint.get_integer("iterations");
      report.reduction       = checkpoint.get_double("reduction");
      squared_gradient_error = checkpoint.get_double("squared gradient error", 0.);
    }

    /// One slab.
    void
    advance(TimeState &time, const long /*n*/, const std::function<bool()> & /*stop*/) override
    {
      time.dt = next_length(time);
      if (op.begin_slab(time.time, time.dt))
        {
          solver.reset(); // what it keeps of the matrix before
          if (!matrix)
            matrix.emplace(op.sparsity(), cycle.device);
          op.assemble(*matrix);
          if (n_steps == 0)
            std::cout << note_on_dependence(*matrix, chosen_solver, parameters.agglomeration.axes)
                      << std::flush;
          cycle.times.end("assembly");
          solver.emplace(*matrix, chosen_solver, cycle.triangulation.get_communicator());
          cycle.times.end("preconditioner");
        }
      op.right_hand_side(b, state);
      op.extend_trace(x, state);
      cycle.times.end("right-hand side");
      report = suspect_penalty(parameters.discretization.penalty_factor,
                               [&]() { return solver->solve(x, b); });
      cycle.times.end("solve");
      const bool look = parameters.time.is_looked_at(time.n_steps + 1);
      if (look)
        previous = state;
      op.take_trace(state, x);
      if (look)
        change = state.max_difference(previous);
      if (functions.has_exact_gradient())
        {
          squared_gradient_error += op.squared_gradient_error(x, functions.exact_gradient());
          cycle.times.end("errors");
        }
      n_iterations += report.iterations;
      n_steps += 1;
      n_stagnating += report.stagnates ? 1 : 0;
      time.n_steps += 1;
      // What is left but for rounding is no slab.
      const double end = time.time + time.dt;
      time.time        = std::abs(time.end - end) < 1e-9 * time.dt ? time.end : end;
    }

    bool
    is_steady() const override
    {
      return parameters.time.is_steady(change);
    }

    std::string
    remark() const override
    {
      return "iterations " + std::to_string(report.iterations);
    }

    void
    print_summary(const TimeState &time) override
    {
      std::cout << "  " << time.n_steps << " slabs to time " << time.time;
      if (n_steps > 0)
        std::cout << ", mean iterations " << static_cast<double>(n_iterations) / n_steps;
      std::cout << std::endl;
      if (n_stagnating > 0)
        std::cout << "  The residual stagnates above Solver/Tolerance = "
                  << parameters.solver.settings.tolerance << " in " << n_stagnating
                  << " slabs: rounding errors allow no smaller one" << std::endl;
    }

    std::vector<std::pair<std::string, double>>
    results() override
    {
      if (n_steps == 0)
        return {};
      return {{"mean iterations", static_cast<double>(n_iterations) / n_steps}};
    }

    std::vector<double>
    errors(const Expression &exact_solution, const double time) override
    {
      std::vector<double> result = {l2_error(
        cycle.mapping, of_cells, solution_vector(of_cells, *this, state), exact_solution, time)};
      if (functions.has_exact_gradient())
        result.push_back(std::sqrt(squared_gradient_error));
      return result;
    }

  private:
    /// Numbers of an element in checkpoints.
    std::size_t
    n_padded() const
    {
      return n_legendre_modes<dim>(polytopic_space.max_degree());
    }

    /// `[cell in the order of the cycle's elements]`
    std::vector<double>
    elements_of_cells() const
    {
      std::vector<double> result;
      for (const auto &cell : cells_of(cycle.meshes))
        result.push_back(numbers[polytopes->element_of(cell->active_cell_index())]);
      return result;
    }

    /// As many slabs to the next end as none is longer than it may be, all equally long; as the
    /// last one, if that is so but for rounding.
    double
    next_length(const TimeState &time) const
    {
      const double longest = parameters.time.length(cycle.number), left = time.end - time.time;
      const double length = left / std::max(1., std::ceil(left / longest - 1e-6));
      for (const double known : {time.dt, longest})
        if (std::abs(length - known) < 1e-9 * length)
          return known;
      return length;
    }

    const Parameters              &parameters;
    const SolverParameters         chosen_solver;
    const ParabolicFunctions<dim> &functions;
    const RunCycle<dim>           &cycle;

    const std::shared_ptr<const PolytopicMesh<dim>> polytopes;
    const PolytopicSpace<dim>                       polytopic_space;
    /// Of the elements, whatever the ranks.
    const std::vector<dealii::types::global_dof_index> numbers;
    const ElementBlocks                                of_elements; ///< in this order
    dealii::DoFHandler<dim>                            of_cells;
    SpaceTimeOperator<dim>                             op;
    std::optional<BlockCSRMatrix<double>>              matrix;
    std::optional<LinearSolver<dim>>                   solver;

    Vector<double> x, b;     ///< of a slab
    Vector<double> state;    ///< at the end of the last slab
    Vector<double> previous; ///< the one before, if it is looked at

    /// Largest change of a coefficient in the last slab that was looked at.
    double change                 = std::numeric_limits<double>::infinity();
    double squared_gradient_error = 0.;

    SolveReport report; ///< of the last slab
    long        n_iterations = 0, n_steps = 0, n_stagnating = 0;
  };


  template <int dim>
  void
  run_slabs(const Parameters &parameters, const RunSettings &settings)
  {
    const ParabolicFunctions<dim> functions(parameters.functions);
    std::vector<std::string>      norms = {"L2 error"};
    if (functions.has_exact_gradient())
      norms.emplace_back("L2(H1) seminorm error");
    const RunEquation   equation{"parabolic problem in " + std::to_string(dim) + "D",
                               1,
                               scalar_quantities().identifiers(),
                               norms,
                               {{}, "", 0, sizeof(double)}};
    SpreadElements<dim> elements(parameters.agglomeration, settings.parameter_file);
    TimeRun<dim, Vector<double>>(parameters, settings, functions, equation, {}, elements.cut())
      .run([&](const RunCycle<dim> &cycle) {
        return std::make_unique<SlabProblem<dim>>(parameters, functions, elements, cycle);
      });
  }
} // namespace Saltus::Polytopic

#endif
