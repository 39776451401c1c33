// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_solver_h
#define applications_conservation_law_solver_h

#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/device_of_rank.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/application.h>
#include <saltus/io/output_lock.h>
#include <saltus/io/progress.h>
#include <saltus/io/stop_request.h>
#include <saltus/solvers/time_integrator.h>

#include "outputs.h"
#include "parameters.h"
#include "run_state.h"
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

namespace Saltus::ConservationLaw
{
  /// One conservation law in one dimension and precision, from the parameters to the error table.
  template <int dim, typename Law, typename Number>
  class Solver
  {
  public:
    Solver(const Parameters &parameters, const RunSettings &settings, const Law &law)
      : parameters(parameters)
      , parameter_file(settings.parameter_file)
      , entries(settings.entries)
      , law(law)
      , functions(parameters.functions,
                  Law::n_components,
                  boundary_kinds<Law>(),
                  {equation_name<dim, Law>(), parameter_file})
      , requests(parameters.evaluation,
                 state_quantities(law).identifiers(),
                 functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , mapping(dealii::FE_SimplexP<dim>(1))
      , errors({std::string("L2 error of ") + Law::conserved_names[0]})
      , stop(parameters.time.wall_time_limit > 0. ? parameters.time.wall_time_limit
                                                  : std::numeric_limits<double>::infinity(),
             communicator)
    {
      operator_data.quadrature_increase = parameters.discretization.quadrature_increase;
      if (Law::n_fields > 0)
        operator_data.fields = FieldFunction<dim>(
          functions.expression(parameters.equation.velocity, Law::n_fields, "Equation/Velocity"));
    }

    void
    run()
    {
      print_device(std::cout, device, communicator);
      const OutputLock                lock(parameters.output.directory, communicator);
      const std::optional<Checkpoint> checkpoint = read_checkpoint();
      const unsigned int              first      = checkpoint ? cycle_of(*checkpoint) : 0;

      bool go_on = true;
      for (unsigned int cycle = first; cycle < parameters.discretization.n_cycles && go_on; ++cycle)
        go_on = solve(cycle, cycle == first ? checkpoint : std::nullopt);
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors());
    }

  private:
    using Operator   = ConservationLawOperator<dim, Law, Number>;
    using Integrator = TimeIntegrator<Operator>;
    using State      = RunState<Number>;

    std::string
    checkpoint_file() const
    {
      return parameters.output.path(".checkpoint");
    }

    std::optional<Checkpoint>
    read_checkpoint() const
    {
      if (!parameters.checkpoint.restart)
        return {};
      return read_checkpoint_of_run(
        checkpoint_file(), entries, may_differ_at_restart(), std::cout, communicator);
    }

    unsigned int
    cycle_of(const Checkpoint &checkpoint) const
    {
      return checked_cycle(checkpoint, checkpoint_file(), parameters.discretization.n_cycles);
    }

    /// @return false if the run is to stop because of the number of its steps
    bool
    solve(const unsigned int cycle, const std::optional<Checkpoint> &checkpoint)
    {
      set_up(cycle, checkpoint);
      std::cout << "Cycle " << cycle << ": " << triangulation->n_global_active_cells()
                << " elements, " << dof_handler.n_dofs() << " degrees of freedom" << std::endl;
      State state;
      state.cycle       = cycle;
      state.time.cfl    = parameters.time.cfl;
      state.time.max_dt = parameters.time.max_dt;
      op.initialize_vector(state.u);
      clock = op.make_clock(state.time);
      if (checkpoint)
        restart(state, *checkpoint);
      else
        start(state);
      advance(state, checkpoint);

      if (functions.has_exact_solution())
        add_error(state);
      return reached_end(state);
    }

    void
    add_error(const State &state)
    {
      const double time = state.time.time;
      functions.check_exact_solution(*triangulation, time);
      errors.add(triangulation->n_global_active_cells(),
                 dof_handler.n_dofs(),
                 {l2_error(mapping,
                           dof_handler,
                           solution_vector(dof_handler, op, state.u),
                           functions.exact_solution(),
                           time)});
    }

    void
    set_up(const unsigned int cycle, const std::optional<Checkpoint> &checkpoint)
    {
      using namespace dealii;
      dof_handler.clear();
      triangulation.reset();
      triangulation = parameters.mesh.make<dim>(cycle, parameter_file, communicator);
      dof_handler.reinit(*triangulation);
      functions.check_on(*triangulation);
      dof_handler.distribute_dofs(
        FESystem<dim>(FE_SimplexDGModal<dim>(parameters.discretization.degree), Law::n_components));
      const auto &conditions = functions.boundary_conditions();
      const auto  mesh       = checkpoint
                                 ? std::make_shared<const ElementMesh<dim>>(mapping,
                                                                     *triangulation,
                                                                     conditions.periodic(),
                                                                     vertices_of(*checkpoint))
                                 : std::make_shared<const ElementMesh<dim>>(mapping,
                                                                     *triangulation,
                                                                     conditions.periodic());
      op.reinit(mesh, dof_handler, law, conditions, device, operator_data);
      elements.emplace(cell_numbers(mesh->order.cells), communicator);
    }

    /// The order of the vertices that the coefficients of a checkpoint belong to.
    std::vector<VertexPermutation<dim>>
    vertices_of(const Checkpoint &checkpoint) const
    {
      return check_discretization(checkpoint,
                                  checkpoint_file(),
                                  equation_name<dim, Law>(),
                                  dof_handler.get_fe(),
                                  *triangulation);
    }

    void
    start(State &state)
    {
      op.project(functions.initial_state(), state.u);
      if (parameters.discretization.limit)
        op.limit(state.u); // a shock in the initial state is one like any other
      state.initial_integrals = op.integrals(state.u);
    }

    void
    restart(State &state, const Checkpoint &checkpoint)
    {
      restore(checkpoint, *elements, op, clock, state, errors);
      std::cout << "Restart after " << state.time.n_steps << " steps at time " << state.time.time
                << std::endl;
    }

    void
    advance(State &state, const std::optional<Checkpoint> &checkpoint)
    {
      const TimeParameters &limits = parameters.time;
      Integrator integrator(op, clock, RungeKutta(limits.scheme), parameters.discretization.limit);
      Outputs<dim, Law, Number> outputs(
        parameters, requests, law, mapping, dof_handler, op, *elements, clock, state, checkpoint);
      if (!checkpoint)
        outputs.write_first(state);

      TimeState &time = state.time;
      Progress   progress(time.n_steps, time.time, limits.end, limits.n_steps);
      while (time.n_steps < limits.n_steps && !reached_end(state))
        {
          const double picture = outputs.next_picture(state);
          // An end that is a multiple but for rounding is not worth a step of its own.
          const bool is_end = limits.end - picture < 1e-6 * parameters.output.picture_interval;
          time.end          = is_end ? limits.end : picture;
          do_steps(integrator, state);
          outputs.write_what_is_due(state, picture);
          if (parameters.checkpoint.interval > 0 &&
              time.n_steps % parameters.checkpoint.interval == 0)
            save(state, outputs);
          if (progress.due())
            progress.print(time.n_steps, time.time, time.dt);
          if (stop.made())
            break;
        }
      progress.finish(time.n_steps, time.time, time.dt);
      outputs.write_last(state);
      if (parameters.checkpoint.interval > 0)
        save(state, outputs);
      print_balance(state);
      if (time.n_steps < limits.n_steps && !reached_end(state))
        throw StoppedEarly(stop_message(state));
    }

    std::string
    stop_message(const State &state) const
    {
      std::ostringstream message;
      message << "stopped by " << stop.reason() << " after " << state.time.n_steps
              << " steps of cycle " << state.cycle << ", at time " << state.time.time << ". ";
      if (parameters.checkpoint.interval > 0)
        message << "The checkpoint " << checkpoint_file() << " is written: --restart goes on.";
      else
        message << "There is no checkpoint, since Checkpoint/Interval = 0.";
      return message.str();
    }

    bool
    reached_end(const State &state) const
    {
      const TimeParameters &limits = parameters.time;
      return state.time.time >= limits.end ||
             (limits.steady_tolerance > 0. && state.change <= limits.steady_tolerance);
    }

    /// The steps until something is due. Where these are does not depend on where a run was
    /// stopped.
    void
    do_steps(Integrator &integrator, State &state)
    {
      TimeState &time = state.time;
      long       n    = parameters.time.n_steps - time.n_steps;
      for (const long interval : {steady_interval,
                                  parameters.output.series_interval,
                                  parameters.average.sampling_interval(),
                                  parameters.checkpoint.interval})
        n = std::min(n, steps_to_multiple(time.n_steps, interval, n));
      const long last    = time.n_steps + n;
      const bool look    = parameters.time.steady_tolerance > 0. && last % steady_interval == 0;
      const auto stopped = [&]() { return stop.made(); };

      clock.set_state(time);
      integrator.advance(state.u, look ? n - 1 : n, stopped);
      time = clock.state();
      if (!look || time.n_steps < last - 1 || time.time >= time.end)
        return;
      previous = state.u;
      integrator.advance(state.u, 1);
      time = clock.state();
      if (time.time < time.end) // a step that was cut shows little
        state.change = state.u.max_difference(previous);
    }

    void
    save(const State &state, const Outputs<dim, Law, Number> &outputs) const
    {
      Checkpoint checkpoint =
        make_checkpoint(entries, *elements, op, clock, dof_handler, state, errors);
      outputs.save(checkpoint);
      checkpoint.write(checkpoint_file());
    }

    void
    print_balance(const State &state) const
    {
      const double before = state.initial_integrals[0];
      const double change = op.integrals(state.u)[0] + clock.outflow()[0] - before;
      std::cout << "  " << state.time.n_steps << " steps to time " << state.time.time
                << ", balance of " << Law::conserved_names[0] << ": "
                << (before != 0. ? change / std::abs(before) : change) << std::endl;
    }

    static constexpr long steady_interval = 100;

    const MPI_Comm                    communicator = MPI_COMM_WORLD;
    const Parameters                  parameters;
    const std::string                 parameter_file;
    const std::vector<ParameterEntry> entries;
    const Law                         law;
    const FieldFunctions<dim>         functions;
    const EvaluationRequests<dim>     requests;
    const Device                      device;
    typename Operator::AdditionalData operator_data;

    const dealii::MappingFE<dim>                mapping;
    std::unique_ptr<dealii::Triangulation<dim>> triangulation;
    dealii::DoFHandler<dim>                     dof_handler;
    Operator                                    op;
    std::optional<ElementBlocks>                elements; ///< in the order of the operator's
    TimeClock                                   clock;
    Vector<Number>    previous; ///< the state before a step that is looked at
    ErrorTable        errors;
    const StopRequest stop;
  };


  template <int dim, typename Law>
  void
  run_in_precision(const Parameters &parameters, const RunSettings &settings, const Law &law)
  {
    if (parameters.discretization.single_precision)
      Solver<dim, Law, float>(parameters, settings, law).run();
    else
      Solver<dim, Law, double>(parameters, settings, law).run();
  }
} // namespace Saltus::ConservationLaw

#endif
