// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_time_run_h
#define applications_common_time_run_h

#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/expressions/run_files.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/functions/common_functions.h>
#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/discretization_parameters.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/parameters/progress.h>
#include <saltus/io/parameters/run_record.h>
#include <saltus/io/parameters/run_size.h>
#include <saltus/io/parameters/run_summary.h>
#include <saltus/io/parameters/stop_request.h>
#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/io/results/error_table.h>
#include <saltus/io/results/run_outputs.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>

#include "time_problem.h"
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>

namespace Saltus
{
  /// What a TimeRun must know of an equation before there is a mesh.
  struct RunEquation
  {
    std::string              name;         ///< with the dimension, which checkpoints note
    unsigned int             n_components; ///< of the vectors in checkpoints
    std::vector<std::string> quantities;   ///< identifiers
    std::vector<std::string> error_norms;
    ElementNeeds             needs; ///< without vectors: of which nothing is said beforehand
  };


  /// Integrations in time on finer and finer meshes, from the parameters to the tables: restart,
  /// steps until something is due, files, checkpoints, progress, requests to stop.
  template <int dim, typename VectorType>
  class TimeRun
  {
  public:
    using Problem     = TimeProblem<dim, VectorType>;
    using MakeProblem = std::function<std::unique_ptr<Problem>(const RunCycle<dim> &)>;

    /// @tparam Parameters RunParameters with the members `mesh`, `discretization`, `time`
    /// @param functions CommonFunctions with `boundary_conditions()`; not copied
    /// @param cut how meshes are spread over the ranks, see MeshParameters::make()
    template <typename Parameters, typename Functions>
    TimeRun(const Parameters           &parameters,
            const RunSettings          &settings,
            const Functions            &functions,
            const RunEquation          &equation,
            const AdaptivityParameters &adaptivity = {},
            const MeshCut<dim>         &cut        = {})
      : parameters(parameters)
      , mesh(parameters.mesh)
      , discretization(parameters.discretization)
      , limits(parameters.time)
      , settings(settings)
      , functions(functions)
      , periodic(functions.boundary_conditions().periodic())
      , equation(equation)
      , adaptivity(adaptivity)
      , cut(cut)
      , elements(
          make_elements<dim>(mesh.shapes<dim>(), discretization.degree, equation.n_components))
      , requests(parameters.evaluation, equation.quantities, functions.constant_values())
      , device(device_of_rank(settings.device, communicator))
      , size(dim, equation.needs, device, communicator)
      , errors(equation.error_norms)
      , times(device, settings.begin)
      , stop(limits.wall_time_limit > 0. ? limits.wall_time_limit
                                         : std::numeric_limits<double>::infinity(),
             communicator)
    {
      limits.check_step_size(adaptivity.time_interval, "Adaptivity/Time interval");
    }

    void
    run(const MakeProblem &make_problem)
    {
      print_device(std::cout, device, communicator);
      if (parameters.checkpoint.restart && !settings.is_dry)
        earlier = record_of_earlier_part(parameters.output, communicator);
      record_run(
        settings,
        parameters.output,
        device,
        communicator,
        [&](const std::function<void()> &write) { run_cycles(make_problem, write); },
        [&](Json &record) {
          if (const Json *seconds = earlier.find("seconds"))
            record["seconds"] =
              record["seconds"].number().value_or(0.) + seconds->number().value_or(0.);
          record["cycles"]     = cycles;
          record["errors"]     = errors.json();
          record["wall times"] = all_wall_times();
          if (n_adaptions > 0)
            record["adaptions"] = times.parts_of_adaptions.json();
        });
    }

  private:
    /// The cycles in a table of a record before a restart in cycle @p first.
    static std::vector<Json>
    cycles_before(const Json *table, const unsigned int first)
    {
      std::vector<Json> result;
      for (const Json &row : table ? table->elements() : std::vector<Json>())
        if (const Json *cycle = row.find("cycle");
            cycle && cycle->number() && *cycle->number() < first)
          result.push_back(row);
      return result;
    }

    /// Wall times of all parts of the run.
    Json
    all_wall_times() const
    {
      std::vector<Json> rows = cycles_before(earlier.find("wall times"), first_cycle);
      for (Json row : times.parts.json().elements())
        {
          for (const Json &before : cycles_before(earlier.find("wall times"), first_cycle + 1))
            if (before.find("cycle")->number() == row["cycle"].number())
              for (const auto &[section, seconds] : before.members())
                if (section != "cycle")
                  row[section] = row[section].number().value_or(0.) + seconds.number().value_or(0.);
          rows.push_back(row);
        }
      return rows;
    }

    /// @param write_record see record_run()
    void
    run_cycles(const MakeProblem &make_problem, const std::function<void()> &write_record)
    {
      const std::optional<Checkpoint> checkpoint = read_checkpoint();
      const unsigned int              n_cycles   = discretization.n_cycles;
      first_cycle = checkpoint ? checked_cycle(*checkpoint, checkpoint_file(), n_cycles) : 0;
      cycles      = cycles_before(earlier.find("cycles"), first_cycle);

      bool go_on = true;
      for (unsigned int cycle = first_cycle; cycle < n_cycles && go_on; ++cycle)
        {
          times.begin_cycle(cycle);
          if (cycle == first_cycle)
            times.end("start");
          go_on = solve(cycle, cycle == first_cycle ? checkpoint : std::nullopt, make_problem);
          times.end("end");
          if (go_on && cycle + 1 < n_cycles)
            write_record();
          if (!go_on && cycle + 1 < n_cycles)
            std::cout << "Time/Steps = " << limits.n_steps << " ends the run in cycle " << cycle
                      << ", counted from 0, of Discretization/Cycles = " << n_cycles << std::endl;
        }
      if (settings.is_dry)
        return;
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors(discretization.degree));
      times.parts.print(std::cout);
      if (n_adaptions > 0)
        times.parts_of_adaptions.print(std::cout,
                                       "Parts of " + std::to_string(n_adaptions) +
                                         " adaptions, wall time in seconds");
    }

    /// What a cycle works on, until its mesh is adapted.
    struct State
    {
      const unsigned int           cycle;
      const RunCycle<dim>         &on;
      Problem                     &problem;
      TimeState                    time;
      RunOutputs<dim, VectorType> &outputs;
      Progress                    &progress;
      bool                         adapts; ///< the mesh before the next step
    };

    /// What goes on on an adapted mesh: all that restarts need, and the solution on the old one.
    struct Continuation
    {
      Checkpoint                       noted;
      typename Problem::AdaptedVectors vectors, averages; ///< the latter if there are any
      AdaptedCells<dim>                cells;
    };

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
      return read_checkpoint_of_run(checkpoint_file(),
                                    settings.entries,
                                    may_differ_at_restart(functions.has_exact_boundary()),
                                    std::cout,
                                    communicator);
    }

    /// @return false if the run is to stop because of the number of its steps
    bool
    solve(const unsigned int               cycle,
          const std::optional<Checkpoint> &checkpoint,
          const MakeProblem               &make_problem)
    {
      const MappedMesh<dim> made = mesh.make<dim>(
        cycle,
        settings.parameter_file,
        communicator,
        [&](const double n_elements) {
          if (!equation.needs.n_dofs.empty())
            size.announce(std::cout, "Cycle " + std::to_string(cycle), n_elements);
        },
        adaptivity.is_used(),
        periodic,
        cut,
        !settings.is_dry);
      std::cout << made.report;
      functions.check_on(*made.mapping, *made.triangulation);
      const auto adaptor = make_adaptor(made);
      if (adaptor && checkpoint)
        restore_refinement(*checkpoint, checkpoint_file(), *made.triangulation);
      times.take("curving", made.curving_time);
      times.end("mesh");
      auto meshes = make_meshes(made, checkpoint);
      times.end("elements");
      if (adaptor && !checkpoint)
        adapt_to_initial_state(cycle, *adaptor, make_problem, made, meshes);

      const OpenFiles             files(parameters.output.double_values);
      std::optional<Progress>     progress;
      std::optional<Continuation> continuation;
      for (;;)
        {
          const RunCycle<dim> on      = run_cycle(cycle, made, meshes);
          const auto          problem = make_problem(on);
          TimeState           time    = problem->initial_time();
          times.end("operator");
          if (!continuation)
            {
              summarize(on, *problem, checkpoint);
              times.end("summary");
            }
          if (settings.is_dry)
            {
              if (KernelCompiler::assumed())
                rehearse(*problem, time);
              return true;
            }
          std::optional<AdaptionTransfer<dim>> transfer;
          if (continuation)
            {
              get_time_state(continuation->noted, time);
              transfer.emplace(continuation->cells, *on.mesh(), device);
              problem->continue_with(continuation->noted, continuation->vectors, *transfer);
              times.end("transfer");
            }
          else if (checkpoint)
            {
              check_geometry(*checkpoint, checkpoint_file(), meshes, on.elements);
              restart(*checkpoint, *problem, time);
              times.end("checkpoints");
            }
          else
            {
              if (!problem->start(asks_to_stop()))
                throw StoppedEarly("stopped by " + stop.reason() +
                                   " with Time/Start degrees, before the first step of cycle " +
                                   std::to_string(cycle) +
                                   ". There is no checkpoint of that: it begins anew.");
              times.end("initial state");
            }
          if (parameters.checkpoint.interval > 0)
            on_first_rank(communicator, [&]() { check_output(checkpoint_file()); });
          RunOutputs<dim, VectorType> outputs(parameters,
                                              requests,
                                              name_of_outputs(cycle),
                                              *problem,
                                              on.elements,
                                              continuation ? std::optional(continuation->noted)
                                                           : checkpoint,
                                              files,
                                              [this](const std::string &kind) { times.end(kind); });
          if (continuation)
            take_over_averages(*transfer, continuation->averages, outputs);
          times.end("outputs");
          times.is_adapting = false;
          if (!continuation && !checkpoint)
            outputs.write_first(time);

          if (!progress)
            progress.emplace(
              time.n_steps, time.time, limits.end, limits.n_steps, parameters.output.progress);
          State state{cycle,
                      on,
                      *problem,
                      time,
                      outputs,
                      *progress,
                      !continuation && checkpoint &&
                        checkpoint->get_integer("adapts", 0, adaptor ? 1 : 0) == 1};
          continuation = advance(state, adaptor.get());
          if (!continuation)
            {
              add_errors(state);
              return reached_end(state);
            }
          meshes = made.parts(periodic);
          times.end("mesh");
        }
    }

    /// Ask for the kernels of the initial state and of a step.
    static void
    rehearse(Problem &problem, TimeState &time)
    {
      const auto goes_on = []() { return false; };
      problem.start(goes_on);
      problem.advance(time, 1, goes_on);
    }

    /// Say what the first steps of a cycle will find, and note it.
    void
    summarize(const RunCycle<dim>             &on,
              Problem                         &problem,
              const std::optional<Checkpoint> &checkpoint)
    {
      RunSummary summary;
      summary.note("cycle", on.number);
      summary.note("degrees of freedom", problem.n_dofs());
      problem.summarize(summary);
      if (!equation.needs.n_dofs.empty())
        size.note(summary, on.triangulation.n_global_active_cells());
      add_memory(summary, device, communicator);
      add_time(summary, checkpoint ? checkpoint->get_double("time") : 0.);
      const SolutionSpace<dim>    space = problem.space();
      const AdditionalFields<dim> additional(parameters.output.additional_fields,
                                             space,
                                             problem.optional_cell_fields());
      if (settings.is_dry)
        Evaluation<dim>::check(requests, space);
      add_outputs(summary,
                  name_of_outputs(on.number),
                  largest_picture(on.mapping,
                                  on.triangulation,
                                  space.degree(),
                                  space.quantities.size() + additional.names().size(),
                                  parameters.output.double_values));
      summary.print(std::cout);
      cycles.push_back(summary.json());
    }

    void
    add_time(RunSummary &summary, const double begin) const
    {
      std::ostringstream text;
      text << begin << " to " << limits.end;
      Json value;
      value["begin"] = begin;
      value["end"]   = limits.end;
      if (limits.n_steps < RunLimits::all_steps)
        {
          text << ", at most " << limits.n_steps << " steps";
          value["steps"] = limits.n_steps;
        }
      summary.add("time", text.str(), value);
    }

    void
    add_outputs(RunSummary &summary, const std::string &name, const double bytes_of_picture) const
    {
      const OutputFiles files{parameters.output.directory, name};
      add_pictures(summary,
                   files.path(".pvd"),
                   std::max(2., parameters.n_intervals(limits) + 1.),
                   limits.n_steps < RunLimits::all_steps,
                   bytes_of_picture);
      std::vector<std::string> tables = paths_of_tables(files, requests.tables());
      if (parameters.output.series_interval > 0)
        tables.insert(tables.begin(), files.path(".csv"));
      add_tables(summary, tables);
      const long interval = parameters.checkpoint.interval;
      if (interval > 0)
        summary.add("checkpoints",
                    checkpoint_file() + " every " + std::to_string(interval) + " steps",
                    interval);
    }

    static dealii::types::global_cell_index
    n_elements(const State &state)
    {
      return state.problem.n_elements().value_or(state.on.triangulation.n_global_active_cells());
    }

    /// Note how a cycle ended.
    void
    note_end(const State &state)
    {
      Json &cycle = cycles.back();
      if (adaptivity.is_used())
        {
          cycle["last state"]["elements"]           = n_elements(state);
          cycle["last state"]["degrees of freedom"] = state.problem.n_dofs();
        }
      const auto columns = state.problem.columns();
      const auto row     = state.problem.row(state.time);
      for (unsigned int i = 0; i < columns.size(); ++i)
        cycle["last state"][columns[i]] = row[i];
      for (const auto &[name, number] : state.problem.results())
        cycle["last state"][name] = number;
      if (const auto averaged = state.outputs.averaged_time(state.time.time))
        cycle["averaged time"] = *averaged;
      cycle["evaluations"] = state.outputs.last_evaluations();
    }

    std::string
    name_of_outputs(const unsigned int cycle) const
    {
      return parameters.output.name + '_' + std::to_string(cycle);
    }

    RunCycle<dim>
    run_cycle(const unsigned int cycle, const MappedMesh<dim> &made, const MixedMesh<dim> &meshes)
    {
      return {cycle,
              device,
              *made.mapping,
              *made.triangulation,
              elements,
              meshes,
              {[meshes]() { return cell_numbers(cells_of(meshes)); }, communicator},
              times};
    }

    /// nullptr where the mesh stays as it is
    std::unique_ptr<MeshAdaptor<dim>>
    make_adaptor(const MappedMesh<dim> &made) const
    {
      using OnP4est = dealii::parallel::distributed::Triangulation<dim>;
      if (!adaptivity.is_used())
        return nullptr;
      return std::make_unique<MeshAdaptor<dim>>(dynamic_cast<OnP4est &>(*made.triangulation),
                                                *made.mapping,
                                                adaptivity.rules);
    }

    /// Until the mesh does not change any more, a few times for each level that it may have.
    void
    adapt_to_initial_state(const unsigned int     cycle,
                           MeshAdaptor<dim>      &adaptor,
                           const MakeProblem     &make_problem,
                           const MappedMesh<dim> &made,
                           MixedMesh<dim>        &meshes)
    {
      for (unsigned int round = 0; round < 4 * adaptivity.rules.highest_level; ++round)
        {
          const RunCycle<dim> on      = run_cycle(cycle, made, meshes);
          const auto          problem = make_problem(on);
          times.end("operator");
          problem->start_before_adaption();
          times.end("initial state");
          const bool is_changed =
            adaptor.adapt(*on.mesh(), problem->solution_to_adapt()).has_value();
          times.end("adaption");
          if (!is_changed)
            return;
          meshes = made.parts(periodic);
          times.end("elements");
        }
    }

    MixedMesh<dim>
    make_meshes(const MappedMesh<dim> &made, const std::optional<Checkpoint> &checkpoint) const
    {
      if (!checkpoint)
        return made.parts(periodic);
      // The coefficients of a checkpoint belong to an order of the vertices.
      return made.parts(periodic,
                        check_discretization(*checkpoint,
                                             checkpoint_file(),
                                             equation.name,
                                             name_of(elements),
                                             *made.triangulation));
    }

    void
    restart(const Checkpoint &checkpoint, Problem &problem, TimeState &time)
    {
      get_time_state(checkpoint, time);
      errors.set_rows(checkpoint.get_array<double>("errors"));
      problem.restore(checkpoint);
      std::cout << "Restart after " << time.n_steps << " steps at time " << time.time << std::endl;
      if (time.n_steps >= limits.n_steps || is_reached(limits.end, time.time))
        std::cout << "Nothing is left to do: Time/Steps = " << limits.n_steps
                  << " or Time/End time = " << limits.end << " is reached." << std::endl;
    }

    /// @param adaptor nullptr: the mesh stays as it is
    /// @return what goes on on the mesh that has been adapted; nothing at the end of the run
    std::optional<Continuation>
    advance(State &state, MeshAdaptor<dim> *adaptor)
    {
      TimeState &time       = state.time;
      Progress  &progress   = state.progress;
      long       saved_step = -1; // twice the same would leave no older checkpoint
      while (time.n_steps < limits.n_steps && !reached_end(state))
        {
          if (state.adapts)
            if (auto continuation = adapt(state, *adaptor))
              return continuation;
          const double picture = next_picture(time), adaption = next_adaption(time);
          // An end that is a multiple but for rounding is not worth a step of its own.
          const bool is_end = limits.end - picture <
                              std::max(1e-6 * parameters.output.picture_interval, 1e-2 * time.dt);
          time.end =
            std::min({is_end ? limits.end : picture, adaption, state.outputs.next_time(time.time)});
          try
            {
              state.problem.advance(time, steps_until_due(state), [&]() {
                return state.outputs.has_failed() || stop.made();
              });
            }
          catch (const InadmissibleState &)
            {
              times.end("steps");
              state.outputs.write_last(time);
              note_end(state);
              throw;
            }
          times.end("steps");
          state.adapts = adaptor != nullptr &&
                         (next_adaption(time) > adaption ||
                          (adaptivity.interval > 0 && time.n_steps % adaptivity.interval == 0));
          state.outputs.write_what_is_due(time, next_picture(time) > picture);
          if (parameters.checkpoint.interval > 0 &&
              time.n_steps % parameters.checkpoint.interval == 0)
            {
              save(state);
              saved_step = time.n_steps;
              times.end("checkpoints");
            }
          if (progress.due())
            progress.print(time.n_steps, time.time, time.dt, state.problem.remark());
          if (stop.made())
            break;
        }
      progress.finish(time.n_steps, time.time, time.dt);
      state.outputs.write_last(time);
      if (parameters.checkpoint.interval > 0 && saved_step != time.n_steps)
        {
          save(state);
          times.end("checkpoints");
        }
      state.problem.print_summary(time);
      if (parameters.average.kind != AverageParameters::Kind::none &&
          !state.outputs.averaged_time(time.time))
        std::cout << "  There is no average: Average/From time = " << parameters.average.from
                  << " was not reached" << std::endl;
      if (adaptivity.is_used())
        std::cout << "  " << n_elements(state) << " elements, " << state.problem.n_dofs()
                  << " degrees of freedom at the end" << std::endl;
      note_end(state);
      if (state.problem.is_steady() && !is_reached(limits.end, time.time))
        std::cout << "The solution is steady after " << time.n_steps << " steps, at time "
                  << time.time << ": cycle " << state.cycle
                  << " ends before Time/End time = " << limits.end << std::endl;
      times.end("summary");
      if (time.n_steps < limits.n_steps && !reached_end(state))
        throw StoppedEarly(stop_message(state));
      return {};
    }

    /// @return nothing if the mesh stays as it is
    std::optional<Continuation>
    adapt(State &state, MeshAdaptor<dim> &adaptor)
    {
      ++n_adaptions;
      times.is_adapting = true;
      state.adapts      = false;
      Checkpoint noted  = note(state); // of the mesh that ends now
      state.outputs.note(noted);
      state.problem.note_numbers(noted);
      times.end("transfer");
      auto cells        = adaptor.adapt(*state.on.mesh(),
                                 state.problem.solution_to_adapt(),
                                 [&](const std::string &part) { times.end(part); });
      times.is_adapting = cells.has_value();
      if (!cells)
        return {};
      Continuation result{std::move(noted),
                          state.problem.release_vectors(),
                          averages_to_adapt(state.outputs),
                          std::move(*cells)};
      times.end("transfer");
      return result;
    }

    /// Copies of what take_over_averages() takes over. Meshes that mix shapes are not adapted.
    static typename Problem::AdaptedVectors
    averages_to_adapt(RunOutputs<dim, VectorType> &outputs)
    {
      typename Problem::AdaptedVectors result;
      if constexpr (std::is_same_v<VectorType, typename Problem::AdaptedVectors::value_type>)
        for (const VectorType *average : outputs.averages_of_coefficients())
          result.push_back(*average);
      return result;
    }

    static void
    take_over_averages(const AdaptionTransfer<dim>            &transfer,
                       const typename Problem::AdaptedVectors &before,
                       RunOutputs<dim, VectorType>            &outputs)
    {
      if constexpr (std::is_same_v<VectorType, typename Problem::AdaptedVectors::value_type>)
        for (std::size_t i = 0; i < before.size(); ++i)
          transfer.run(*outputs.averages_of_coefficients()[i], before[i]);
    }

    double
    next_picture(const TimeState &time) const
    {
      return next_multiple(time.time, parameters.output.picture_interval, "Output/Interval");
    }

    /// The time at which the mesh is adapted next, whatever the number of steps until then.
    double
    next_adaption(const TimeState &time) const
    {
      return next_multiple(time.time, adaptivity.time_interval, "Adaptivity/Time interval");
    }

    /// Where steps end does not depend on where a run was stopped.
    long
    steps_until_due(const State &state) const
    {
      const long step = state.time.n_steps, left = limits.n_steps - step;
      return std::min({left,
                       state.outputs.steps_to_next(step, left),
                       steps_to_multiple(step, parameters.checkpoint.interval, left),
                       steps_to_multiple(step, adaptivity.interval, left)});
    }

    bool
    reached_end(const State &state) const
    {
      return is_reached(limits.end, state.time.time) || state.problem.is_steady();
    }

    std::function<bool()>
    asks_to_stop() const
    {
      return [this]() { return stop.made(); };
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

    /// What a run needs to go on besides its problem and its outputs.
    Checkpoint
    note(const State &state) const
    {
      Checkpoint checkpoint(communicator);
      set_time_state(checkpoint, state.time);
      return checkpoint;
    }

    void
    save(State &state) const
    {
      Checkpoint checkpoint = note(state);
      state.outputs.save(checkpoint);
      state.problem.save(checkpoint);
      set_parameters(checkpoint, settings.entries);
      set_discretization(
        checkpoint, equation.name, name_of(elements), state.on.meshes, state.on.elements);
      set_geometry(checkpoint, state.on.meshes, state.on.elements);
      if (adaptivity.is_used())
        set_refinement<dim>(checkpoint, cells_of(state.on.meshes), state.on.elements);
      checkpoint.set("cycle", static_cast<std::int64_t>(state.cycle));
      checkpoint.set("adapts", static_cast<std::int64_t>(state.adapts));
      checkpoint.set_array("errors", errors.rows().data(), errors.rows().size());
      checkpoint.write(checkpoint_file());
    }

    void
    add_errors(const State &state)
    {
      if (!functions.has_exact_solution())
        return;
      const dealii::Triangulation<dim> &triangulation = state.on.triangulation;
      functions.check_exact_solution(state.on.mapping, triangulation, state.time.time);
      errors.add(state.cycle,
                 n_elements(state),
                 state.problem.n_dofs(),
                 state.problem.errors(functions.exact_solution(), state.time.time));
      times.end("errors");
    }

    const MPI_Comm                      communicator = MPI_COMM_WORLD;
    const RunParameters                 parameters;
    const MeshParameters                mesh;
    const DegreeAndCycles               discretization;
    const RunLimits                     limits;
    const RunSettings                   settings;
    const CommonFunctions<dim>         &functions;
    const std::vector<PeriodicBoundary> periodic;
    const RunEquation                   equation;
    const AdaptivityParameters          adaptivity;
    const MeshCut<dim>                  cut;
    const Elements<dim>                 elements;
    const EvaluationRequests<dim>       requests;
    const Device                        device;
    const RunSize                       size;
    std::vector<Json>                   cycles;  ///< for the record
    Json                                earlier; ///< record of the part before a restart
    unsigned int                        first_cycle = 0;
    ErrorTable                          errors;
    RunTimes                            times;
    unsigned int                        n_adaptions = 0;
    const StopRequest                   stop;
  };
} // namespace Saltus

#endif
