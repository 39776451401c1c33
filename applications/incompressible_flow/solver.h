// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_solver_h
#define applications_incompressible_flow_solver_h

#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/device_of_rank.h>
#include <saltus/base/stopwatch.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/application.h>
#include <saltus/io/output_lock.h>
#include <saltus/io/progress.h>
#include <saltus/io/stop_request.h>
#include <saltus/io/time_table.h>
#include <saltus/solvers/flow_step_size.h>

#include "outputs.h"
#include "parameters.h"
#include "run_state.h"
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

namespace Saltus::FlowProgram
{
  /// An incompressible flow from the parameters to the tables.
  template <int dim>
  class Solver
  {
  public:
    Solver(const Parameters &parameters, const RunSettings &settings)
      : parameters(parameters)
      , parameter_file(settings.parameter_file)
      , entries(settings.entries)
      , functions(parameters.functions)
      , requests(parameters.evaluation,
                 flow_quantities<dim>(parameters.equation.viscosity).identifiers(),
                 functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , mapping(dealii::FE_SimplexP<dim>(1))
      , errors({"L2 error of velocity", "of pressure"})
      , stop(parameters.time.wall_time_limit > 0. ? parameters.time.wall_time_limit
                                                  : std::numeric_limits<double>::infinity(),
             communicator)
    {
      const TimeParameters &time               = parameters.time;
      flow_data.viscosity                      = parameters.equation.viscosity;
      flow_data.body_force                     = functions.body_force;
      flow_data.order                          = time.order;
      flow_data.pressure_order                 = time.pressure_order;
      flow_data.n_subcycles                    = time.n_subcycles;
      flow_data.penalty_factor                 = parameters.discretization.penalty_factor;
      flow_data.operators                      = {parameters.discretization.convection_degree,
                                                  parameters.discretization.backflow_stabilization};
      flow_data.velocity_solver.tolerance      = parameters.solver.velocity_tolerance;
      flow_data.pressure_solver.tolerance      = parameters.solver.pressure_tolerance;
      flow_data.velocity_solver.max_iterations = flow_data.pressure_solver.max_iterations =
        parameters.solver.max_iterations;
      flow_data.penalty_solver.max_iterations = parameters.solver.max_iterations;
      flow_data.n_known_solutions             = parameters.solver.n_known_solutions;
      flow_data.penalty_solver.tolerance      = parameters.solver.penalty_tolerance;
      flow_data.krylov_method                 = parameters.solver.method;
      flow_data.velocity_preconditioner       = parameters.solver.preconditioner;
      flow_data.subcycle_cfl                  = time.subcycle_cfl;
      flow_data.divergence_penalty            = parameters.discretization.divergence_penalty;
      flow_data.continuity_penalty            = parameters.discretization.continuity_penalty;

      step_size = {time.max_dt, time.cfl, time.order, !time.begins_with_exact_solution};
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
      times.print(std::cout);
    }

  private:
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
      times.begin_cycle();
      Stopwatch watch(device);
      set_up(cycle, checkpoint);
      RunState state;
      state.cycle = cycle;
      if (checkpoint)
        {
          restore(*checkpoint, *elements, flow, state, errors);
          std::cout << "Restart after " << state.time.n_steps << " steps at time "
                    << state.time.time << std::endl;
        }
      else
        start();
      Outputs<dim> outputs(
        parameters, requests, mapping, of_fields, flow, *elements, state, checkpoint);
      if (!checkpoint)
        outputs.write_first(state);
      times.add("set-up", watch.lap());

      advance(state, outputs);
      if (functions.has_exact_solution())
        add_errors(state, outputs.solution());
      return reached_end(state);
    }

    void
    set_up(const unsigned int cycle, const std::optional<Checkpoint> &checkpoint)
    {
      using namespace dealii;
      for (DoFHandler<dim> *dof_handler : {&of_velocity, &of_pressure, &of_fields})
        dof_handler->clear();
      triangulation.reset();
      triangulation = parameters.mesh.make<dim>(cycle, parameter_file, communicator);
      functions.check_on(*triangulation);
      const FE_SimplexDGModal<dim> fe(parameters.discretization.degree);
      distribute(of_velocity, FESystem<dim>(fe, dim));
      distribute(of_pressure, fe);
      distribute(of_fields, FESystem<dim>(fe, FlowFields<dim>::n_components));

      const auto &conditions = functions.boundary_conditions();
      const auto  mesh       = checkpoint
                                 ? std::make_shared<const ElementMesh<dim>>(mapping,
                                                                     *triangulation,
                                                                     conditions.periodic(),
                                                                     vertices_of(*checkpoint))
                                 : std::make_shared<const ElementMesh<dim>>(mapping,
                                                                     *triangulation,
                                                                     conditions.periodic());
      flow.reinit(mesh, of_velocity, of_pressure, conditions, device, flow_data);
      elements.emplace(cell_numbers(mesh->order.cells), communicator);
      std::cout << "Cycle " << cycle << ": " << triangulation->n_global_active_cells()
                << " elements, " << of_velocity.n_dofs() << " + " << of_pressure.n_dofs()
                << " degrees of freedom of velocity and pressure" << std::endl;
    }

    void
    distribute(dealii::DoFHandler<dim> &dof_handler, const dealii::FiniteElement<dim> &fe) const
    {
      dof_handler.reinit(*triangulation);
      dof_handler.distribute_dofs(fe);
    }

    /// The order of the vertices that the coefficients of a checkpoint belong to.
    std::vector<VertexPermutation<dim>>
    vertices_of(const Checkpoint &checkpoint) const
    {
      return check_discretization(
        checkpoint, checkpoint_file(), equation_name<dim>(), of_velocity.get_fe(), *triangulation);
    }

    void
    start()
    {
      if (parameters.time.begins_with_exact_solution)
        for (unsigned int i = parameters.time.order; i-- > 0;)
          flow.set_state(i == 0 ? 0. : -(i * parameters.time.max_dt),
                         functions.exact_velocity(),
                         functions.exact_pressure());
      else
        flow.set_state(0., functions.initial_velocity, functions.initial_pressure);
      if (parameters.time.is_projected)
        {
          const SolveReport report = flow.project_to_divergence_free();
          std::cout << "  Initial velocity projected: " << report.iterations << " iterations, "
                    << report.seconds << " s" << std::endl;
        }
    }

    void
    advance(RunState &state, Outputs<dim> &outputs)
    {
      const TimeParameters &limits = parameters.time;
      TimeState            &time   = state.time;
      Progress              progress(time.n_steps, time.time, limits.end, limits.n_steps);
      Stopwatch             watch(device);
      while (time.n_steps < limits.n_steps && !reached_end(state))
        {
          const double picture = outputs.next_picture(state);
          // An end that is a multiple but for rounding is not worth a step of its own.
          const bool   is_end = limits.end - picture < 1e-6 * parameters.output.picture_interval;
          const double target = is_end ? limits.end : picture;
          do_step(state, target);
          watch.lap();
          outputs.write_what_is_due(state, is_reached(state, picture));
          if (parameters.checkpoint.interval > 0 &&
              time.n_steps % parameters.checkpoint.interval == 0)
            save(state, outputs);
          times.add("output", watch.lap());
          if (progress.due())
            progress.print(time.n_steps, time.time, time.dt, remark(state.report));
          if (stop.made())
            break;
        }
      progress.finish(time.n_steps, time.time, time.dt);
      outputs.write_last(state);
      if (parameters.checkpoint.interval > 0)
        save(state, outputs);
      print_summary(state, outputs.integrals());
      if (time.n_steps < limits.n_steps && !reached_end(state))
        throw StoppedEarly(stop_message(state));
    }

    /// @param target time that is not to be stepped over
    void
    do_step(RunState &state, const double target)
    {
      TimeState   &time = state.time;
      const double rate = flow.convection_rate() / std::max(1U, parameters.time.n_subcycles);
      time.dt           = step_size.next(time.n_steps, time.dt, rate, target - time.time);
      check_length(time);
      state.report       = flow.step(time.dt);
      time.time          = flow.time();
      const auto &report = state.report;
      time.n_steps += 1;
      n_iterations_of_velocity += report.velocity.iterations;
      n_iterations_of_pressure += report.pressure.iterations;
      n_steps_of_run += 1;
      times.add("convection", report.convection_time);
      times.add("viscous step", report.velocity_time);
      times.add("pressure", report.pressure_time);
      times.add("update", report.update_time);
      if (report.penalty_time > 0.)
        times.add("penalties", report.penalty_time);
    }

    /// @throws dealii::ExcMessage for steps that become short because the velocity grows
    void
    check_length(const TimeState &time) const
    {
      std::ostringstream text;
      text << "Time/CFL number = " << step_size.cfl << " asks for steps of length " << time.dt
           << " at time " << time.time
           << ", so much has the velocity grown: earlier steps were too "
           << "long to be stable. Take a smaller CFL number or a smaller Time/Step size.";
      AssertThrow(step_size.cfl == 0. || time.dt > 1e-9 * step_size.max_dt,
                  dealii::ExcMessage(text.str()));
    }

    static std::string
    remark(const FlowStepReport &report)
    {
      std::ostringstream text;
      text.precision(3);
      text << "CFL " << report.cfl << ", iterations " << report.velocity.iterations << " + "
           << report.pressure.iterations;
      return text.str();
    }

    /// But for rounding.
    static bool
    is_reached(const RunState &state, const double time)
    {
      return state.time.time >= time - 1e-6 * state.time.dt;
    }

    bool
    reached_end(const RunState &state) const
    {
      return is_reached(state, parameters.time.end);
    }

    std::string
    stop_message(const RunState &state) const
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

    void
    save(const RunState &state, const Outputs<dim> &outputs) const
    {
      Checkpoint checkpoint = make_checkpoint(entries, *elements, flow, of_velocity, state, errors);
      outputs.save(checkpoint);
      checkpoint.write(checkpoint_file());
    }

    void
    print_summary(const RunState &state, const FlowIntegrals &integrals)
    {
      std::cout << "  " << state.time.n_steps << " steps to time " << state.time.time
                << ", kinetic energy " << integrals.kinetic_energy << ", enstrophy "
                << integrals.enstrophy << ", divergence norm " << integrals.divergence_norm
                << std::endl;
      if (n_steps_of_run > 0)
        std::cout << "  Mean iterations: velocity " << n_iterations_of_velocity / n_steps_of_run
                  << ", pressure " << n_iterations_of_pressure / n_steps_of_run << std::endl;
      n_iterations_of_velocity = n_iterations_of_pressure = n_steps_of_run = 0;
    }

    void
    add_errors(const RunState &state, const SolutionVector &solution)
    {
      const double time = state.time.time;
      functions.check_exact_solution(*triangulation, time);
      const auto error = [&](const ErrorComponents &components) {
        return l2_error(mapping, of_fields, solution, functions.exact_solution(), time, components);
      };
      errors.add(triangulation->n_global_active_cells(),
                 of_velocity.n_dofs() + of_pressure.n_dofs(),
                 {error({0, dim}), error({dim, 1, !flow.determines_pressure()})});
    }

    const MPI_Comm                                   communicator = MPI_COMM_WORLD;
    const Parameters                                 parameters;
    const std::string                                parameter_file;
    const std::vector<ParameterEntry>                entries;
    const FlowFunctions<dim>                         functions;
    const EvaluationRequests<dim>                    requests;
    const Device                                     device;
    typename IncompressibleFlow<dim>::AdditionalData flow_data;
    FlowStepSize                                     step_size;

    const dealii::MappingFE<dim>                mapping;
    std::unique_ptr<dealii::Triangulation<dim>> triangulation;
    dealii::DoFHandler<dim>                     of_velocity, of_pressure, of_fields;
    IncompressibleFlow<dim>                     flow;
    std::optional<ElementBlocks>                elements; ///< in the order of the operators'

    double            n_iterations_of_velocity = 0, n_iterations_of_pressure = 0;
    long              n_steps_of_run = 0; ///< in this cycle
    ErrorTable        errors;
    TimeTable         times;
    const StopRequest stop;
  };
} // namespace Saltus::FlowProgram

#endif
