// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_outputs_h
#define applications_incompressible_flow_outputs_h

#include <saltus/io/evaluation.h>
#include <saltus/io/flow_output.h>
#include <saltus/io/solution_output.h>
#include <saltus/io/time_average.h>
#include <saltus/io/time_series.h>

#include "parameters.h"
#include "run_state.h"
#include <optional>

namespace Saltus::FlowProgram
{
  /// The files that grow during a cycle: pictures, time series, averages and what the section
  /// `Evaluation` asks for. They are opened at once.
  template <int dim>
  class Outputs
  {
  public:
    /// @param flow,dof_handler,elements are not copied and must live as long
    /// @param dof_handler that of FlowFields
    /// @param checkpoint if given, @p state comes from it: continue files and averages
    Outputs(const Parameters                &all_parameters,
            const EvaluationRequests<dim>   &requests,
            const dealii::Mapping<dim>      &mapping,
            const dealii::DoFHandler<dim>   &dof_handler,
            const IncompressibleFlow<dim>   &flow,
            const ElementBlocks             &elements,
            const RunState                  &state,
            const std::optional<Checkpoint> &checkpoint)
      : parameters(all_parameters.output)
      , average_interval(all_parameters.average.sampling_interval())
      , flow(flow)
      , elements(elements)
      , fields(flow.operators().velocity_space().mesh,
               dof_handler,
               flow.operators().velocity_space().device)
      , present(fields.make_vector())
      , space(mapping, dof_handler, flow_quantities<dim>(all_parameters.equation.viscosity))
      , name(parameters.name + "_" + std::to_string(state.cycle))
      , pictures(mapping,
                 dof_handler.get_triangulation(),
                 space.degree(),
                 space.quantities.names,
                 parameters.directory,
                 name)
      , evaluation(requests,
                   space,
                   parameters.directory,
                   name,
                   checkpoint ? restart_times(state) : std::nullopt)
      , averages(
          all_parameters.average,
          space,
          parameters.directory,
          name,
          state.time.time,
          [this](const Vector<double> &of_time) {
            return solution_vector(space.dof_handler, fields, of_time);
          },
          [this]() { return fields.make_vector(); })
    {
      if (checkpoint)
        {
          pictures.continue_from(state.pictures);
          averages.continue_from(state.pictures);
          averages.restore(*checkpoint, elements);
        }
      if (parameters.series_interval > 0)
        series.emplace(parameters.path("_" + std::to_string(state.cycle) + ".csv"),
                       std::vector<std::string>{"time",
                                                "step size",
                                                "step",
                                                "CFL number",
                                                "velocity iterations",
                                                "pressure iterations",
                                                "kinetic energy",
                                                "enstrophy",
                                                "divergence norm"},
                       space.communicator(),
                       checkpoint ? std::optional<double>(state.last_row) : std::nullopt);
    }

    /// Time of the next picture.
    double
    next_picture(const RunState &state) const
    {
      return next_multiple(last_picture(state), parameters.picture_interval);
    }

    void
    write_first(RunState &state)
    {
      write_picture(state);
      state.pictures = {state.time.time};
      write_row(state);
    }

    /// @param is_picture whether one is due
    void
    write_what_is_due(RunState &state, const bool is_picture)
    {
      const TimeState &time = state.time;
      if (average_interval > 0 && time.n_steps % average_interval == 0)
        averages.sample_if_due(time.n_steps, time.time, evaluate());
      if (is_picture)
        {
          write_picture(state);
          state.pictures.push_back(time.time);
        }
      if (parameters.series_interval > 0 && time.n_steps % parameters.series_interval == 0)
        {
          write_row(state);
          state.last_row = time.time;
        }
    }

    /// The last state is written even if it is not due; a restart writes over it.
    void
    write_last(const RunState &state)
    {
      if (state.time.time > last_picture(state))
        write_picture(state);
      if (state.time.time > state.last_row)
        write_row(state);
    }

    /// What a restart needs of the outputs.
    void
    save(Checkpoint &checkpoint) const
    {
      averages.save(checkpoint, elements);
    }

    /// Of the flow as it is now.
    FlowIntegrals
    integrals()
    {
      return fields.integrals(evaluate());
    }

    /// The same in deal.II's numbering.
    SolutionVector
    solution()
    {
      return solution_vector(space.dof_handler, fields, evaluate());
    }

  private:
    const Vector<double> &
    evaluate()
    {
      fields.evaluate(present, flow.velocity(), flow.pressure());
      return present;
    }

    static double
    last_picture(const RunState &state)
    {
      return state.pictures.empty() ? 0. : state.pictures.back();
    }

    void
    write_picture(const RunState &state)
    {
      const double         time     = state.time.time;
      const SolutionVector solution = this->solution();
      write_quantities(pictures, time, space, solution);
      averages.write(time, solution);
      evaluation.write_pictures(time, solution);
      if (!series)
        evaluation.write_rows(time, solution);
    }

    void
    write_row(const RunState &state)
    {
      if (!series)
        return;
      const FlowIntegrals   integrals = this->integrals();
      const FlowStepReport &report    = state.report;
      series->add({state.time.time,
                   state.time.dt,
                   static_cast<double>(state.time.n_steps),
                   report.cfl,
                   static_cast<double>(report.velocity.iterations),
                   static_cast<double>(report.pressure.iterations),
                   integrals.kinetic_energy,
                   integrals.enstrophy,
                   integrals.divergence_norm});
      if (evaluation.has_rows())
        evaluation.write_rows(state.time.time, solution());
    }

    /// Rows of the evaluation come with those of the time series or, without one, with pictures.
    std::optional<RestartTimes>
    restart_times(const RunState &state) const
    {
      return RestartTimes{parameters.series_interval > 0 ? state.last_row : last_picture(state),
                          state.pictures};
    }

    const OutputParameters         parameters;
    const long                     average_interval;
    const IncompressibleFlow<dim> &flow;
    const ElementBlocks           &elements;
    const FlowFields<dim>          fields;
    Vector<double>                 present; ///< see evaluate()
    const SolutionSpace<dim>       space;
    const std::string              name; ///< of this cycle's files
    SolutionWriter<dim>            pictures;
    Evaluation<dim>                evaluation;
    TimeAverages<dim, double>      averages;
    std::optional<TimeSeries>      series;
  };
} // namespace Saltus::FlowProgram

#endif
