// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_solver_h
#define applications_conservation_law_solver_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/checkpoint_parts.h>
#include <saltus/io/error_table.h>
#include <saltus/io/function_parameters.h>
#include <saltus/io/mesh_parameters.h>
#include <saltus/io/output_parameters.h>
#include <saltus/io/progress.h>
#include <saltus/io/state_output.h>
#include <saltus/io/time_series.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/solvers/time_integrator.h>

#include "parameters.h"
#include <iostream>
#include <limits>
#include <optional>

namespace Saltus::ConservationLaw
{
  /// One conservation law in one dimension and precision, from the parameters to the error table.
  template <int dim, typename Law, typename Number>
  class Solver
  {
  public:
    Solver(dealii::ParameterHandler &prm, const Law &law, const EquationParameters &equation)
      : prm(prm)
      , law(law)
      , velocity(equation.velocity)
      , discretization(prm)
      , functions(prm, Law::n_components, boundary_kinds<Law>())
      , time_parameters(prm)
      , output(prm)
      , device(Device::from_name(prm.get("Device")))
      , mapping(dealii::FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
      , errors({std::string("L2 error of ") + Law::conserved_names[0]})
    {}

    void
    run()
    {
      std::cout << "Device: " << device.description() << std::endl;
      std::optional<Checkpoint> checkpoint;
      if (output.restart)
        checkpoint = Checkpoint::read(output.path(".checkpoint"));
      const unsigned int first = checkpoint ? cycle_of(*checkpoint) : 0;

      make_mesh(prm, triangulation);
      bool go_on = true;
      for (unsigned int cycle = 0; cycle < discretization.n_cycles && go_on; ++cycle)
        {
          if (cycle > 0)
            triangulation.refine_global(1);
          if (cycle >= first)
            go_on = solve(cycle, cycle == first ? checkpoint : std::nullopt);
        }
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors());
    }

  private:
    using Operator = ConservationLawOperator<dim, Law, Number>;

    /// Where a run is: all that the rest of it depends on and that a checkpoint holds.
    struct State
    {
      unsigned int        cycle = 0;
      TimeState           time;
      Vector<Number>      u;
      std::vector<double> initial_integrals;
      double              last_picture = 0, last_row = 0; ///< times of those that were due
      /// Largest change of a coefficient in the last step that was looked at.
      double change = std::numeric_limits<double>::infinity();
    };

    unsigned int
    cycle_of(const Checkpoint &checkpoint) const
    {
      const std::int64_t cycle = checkpoint.get_integer("cycle");
      AssertThrow(0 <= cycle && cycle < discretization.n_cycles,
                  dealii::ExcMessage(
                    "The checkpoint file '" + output.path(".checkpoint") +
                    "' does not fit this run: it was written in cycle " + std::to_string(cycle) +
                    ", counted from 0, but there are " +
                    "Discretization/Cycles = " + std::to_string(discretization.n_cycles) + "."));
      return cycle;
    }

    /// @return false if the run is to stop because of the number of its steps
    bool
    solve(const unsigned int cycle, const std::optional<Checkpoint> &checkpoint)
    {
      set_up();
      std::cout << "Cycle " << cycle << ": " << triangulation.n_active_cells() << " elements, "
                << dof_handler.n_dofs() << " degrees of freedom" << std::endl;
      State state;
      state.cycle       = cycle;
      state.time.cfl    = time_parameters.cfl;
      state.time.max_dt = time_parameters.max_dt;
      op.initialize_vector(state.u);
      clock = op.make_clock(state.time);
      if (checkpoint)
        restore(state, *checkpoint);
      else
        start(state);
      advance(state, checkpoint.has_value());

      if (functions.has_exact_solution())
        errors.add(
          triangulation.n_active_cells(),
          dof_handler.n_dofs(),
          {l2_error(
            mapping, dof_handler, solution(state), functions.exact_solution(), state.time.time)});
      return reached_end(state);
    }

    void
    set_up()
    {
      using namespace dealii;
      dof_handler.distribute_dofs(
        FESystem<dim>(FE_SimplexDGModal<dim>(discretization.degree), Law::n_components));
      typename Operator::AdditionalData data;
      data.quadrature_increase = discretization.quadrature_increase;
      if (Law::n_fields > 0)
        data.fields =
          StateFunction<dim>(functions.expression(velocity, Law::n_fields, "Equation/Velocity"));
      op.reinit(
        mapping, dof_handler, law, functions.boundary_conditions(triangulation), device, data);
    }

    void
    start(State &state)
    {
      op.project(functions.initial_state(), state.u);
      if (discretization.limit)
        op.limit(state.u); // a shock in the initial state is one like any other
      state.initial_integrals = op.integrals(state.u);
    }

    /// The files that grow during a run.
    struct Outputs
    {
      Outputs(const Solver &solver, const State &state, const bool restarted)
        : pictures(solver.mapping,
                   solver.triangulation,
                   std::max(1U, solver.discretization.degree),
                   output_quantities<Law>(),
                   solver.output.directory,
                   solver.output.name + "_" + std::to_string(state.cycle))
      {
        if (restarted)
          pictures.continue_from(state.last_picture);
        if (solver.output.series_interval > 0)
          series.emplace(solver.output.path("_" + std::to_string(state.cycle) + ".csv"),
                         series_columns(
                           {Law::conserved_names, Law::conserved_names + Law::n_components}),
                         MPI_COMM_WORLD,
                         restarted ? std::optional<double>(state.last_row) : std::nullopt);
      }

      SolutionWriter<dim>       pictures;
      std::optional<TimeSeries> series;
    };

    void
    advance(State &state, const bool restarted)
    {
      TimeIntegrator<Operator> integrator(op,
                                          clock,
                                          RungeKutta(time_parameters.scheme),
                                          discretization.limit);
      Outputs                  outputs(*this, state, restarted);
      if (!restarted)
        {
          write_picture(outputs, state);
          write_row(outputs, state);
        }

      TimeState &time = state.time;
      Progress   progress(time.n_steps, time.time, time_parameters.end, time_parameters.n_steps);
      while (time.n_steps < time_parameters.n_steps && !reached_end(state))
        {
          const double picture = next_multiple(state.last_picture, output.picture_interval);
          // An end that is a multiple but for rounding is not worth a step of its own.
          const bool is_end = time_parameters.end - picture < 1e-6 * output.picture_interval;
          time.end          = is_end ? time_parameters.end : picture;
          do_steps(integrator, state);
          write_what_is_due(outputs, state, picture);
          if (progress.due())
            progress.print(time.n_steps, time.time, time.dt);
        }
      progress.finish(time.n_steps, time.time, time.dt);
      write_last(outputs, state);
      print_balance(state);
    }

    /// @param picture time of the next picture
    void
    write_what_is_due(Outputs &outputs, State &state, const double picture) const
    {
      const TimeState &time = state.time;
      if (time.time >= picture)
        {
          write_picture(outputs, state);
          state.last_picture = time.time;
        }
      if (output.series_interval > 0 && time.n_steps % output.series_interval == 0)
        {
          write_row(outputs, state);
          state.last_row = time.time;
        }
      if (output.checkpoint_interval > 0 && time.n_steps % output.checkpoint_interval == 0)
        save(state);
    }

    /// The last state is written even if it is not due; a restart writes over it.
    void
    write_last(Outputs &outputs, const State &state) const
    {
      if (state.time.time > state.last_picture)
        write_picture(outputs, state);
      if (state.time.time > state.last_row)
        write_row(outputs, state);
      if (output.checkpoint_interval > 0)
        save(state);
    }

    bool
    reached_end(const State &state) const
    {
      return state.time.time >= time_parameters.end ||
             (time_parameters.steady_tolerance > 0. &&
              state.change <= time_parameters.steady_tolerance);
    }

    /// The steps until something is due. Where these are does not depend on where a run was
    /// stopped.
    void
    do_steps(TimeIntegrator<Operator> &integrator, State &state)
    {
      TimeState &time = state.time;
      long       n    = time_parameters.n_steps - time.n_steps;
      for (const long interval :
           {steady_interval, output.series_interval, output.checkpoint_interval})
        n = std::min(n, steps_to_multiple(time.n_steps, interval, n));
      const bool look =
        time_parameters.steady_tolerance > 0. && (time.n_steps + n) % steady_interval == 0;

      clock.set_state(time);
      if (look)
        {
          integrator.advance(state.u, n - 1);
          previous = state.u;
          integrator.advance(state.u, 1);
        }
      else
        integrator.advance(state.u, n);
      time = clock.state();
      if (look && time.time < time.end) // a step that was cut shows little
        state.change = state.u.max_difference(previous);
    }

    dealii::Vector<double>
    solution(const State &state) const
    {
      dealii::Vector<double> coefficients;
      op.copy_to(coefficients, state.u);
      return coefficients;
    }

    void
    write_picture(Outputs &outputs, const State &state) const
    {
      write_state(outputs.pictures, state.time.time, dof_handler, solution(state), law);
    }

    void
    write_row(Outputs &outputs, const State &state) const
    {
      if (outputs.series)
        outputs.series->add(series_row(state.time, op.statistics(state.u), clock.outflow()));
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

    static std::string
    equation_name()
    {
      return std::string(Law::name) + " in " + std::to_string(dim) + "D";
    }

    void
    save(const State &state) const
    {
      Checkpoint checkpoint;
      set_discretization(checkpoint, equation_name(), dof_handler);
      set_time_state(checkpoint, state.time);
      checkpoint.set("cycle", static_cast<std::int64_t>(state.cycle));
      checkpoint.set("last picture", state.last_picture);
      checkpoint.set("last row", state.last_row);
      checkpoint.set("change", state.change);
      const auto set = [&](const std::string &name, const auto &values) {
        checkpoint.set_array<double>(name, values.data(), values.size());
      };
      set("solution", solution(state));
      set("initial integrals", state.initial_integrals);
      set("outflow", clock.outflow_by_face());
      set("errors", errors.rows());
      checkpoint.write(output.path(".checkpoint"));
    }

    void
    restore(State &state, const Checkpoint &checkpoint)
    {
      check_discretization(checkpoint, output.path(".checkpoint"), equation_name(), dof_handler);
      get_time_state(checkpoint, state.time);
      state.last_picture      = checkpoint.get_double("last picture");
      state.last_row          = checkpoint.get_double("last row");
      state.change            = checkpoint.get_double("change");
      state.initial_integrals = checkpoint.get_array<double>("initial integrals");
      const auto coefficients = checkpoint.get_array<double>("solution");
      op.copy_from(state.u, dealii::Vector<double>(coefficients.begin(), coefficients.end()));
      clock.set_outflow_by_face(checkpoint.get_array<double>("outflow"));
      errors.set_rows(checkpoint.get_array<double>("errors"));
      clock.set_state(state.time);
      std::cout << "Restart after " << state.time.n_steps << " steps at time " << state.time.time
                << std::endl;
    }

    static constexpr long steady_interval = 100;

    dealii::ParameterHandler      &prm;
    const Law                      law;
    const std::string              velocity;
    const DiscretizationParameters discretization;
    const FunctionParameters<dim>  functions;
    const TimeParameters           time_parameters;
    const OutputParameters         output;
    const Device                   device;

    dealii::Triangulation<dim>   triangulation;
    const dealii::MappingFE<dim> mapping;
    dealii::DoFHandler<dim>      dof_handler;
    Operator                     op;
    TimeClock                    clock;
    Vector<Number>               previous; ///< the state before a step that is looked at
    ErrorTable                   errors;
  };


  template <int dim, typename Law>
  void
  run_in_precision(dealii::ParameterHandler &prm,
                   const Law                &law,
                   const EquationParameters &equation)
  {
    if (DiscretizationParameters(prm).single_precision)
      Solver<dim, Law, float>(prm, law, equation).run();
    else
      Solver<dim, Law, double>(prm, law, equation).run();
  }
} // namespace Saltus::ConservationLaw

#endif
