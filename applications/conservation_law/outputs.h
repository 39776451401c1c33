// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_outputs_h
#define applications_conservation_law_outputs_h

#include <saltus/io/evaluation.h>
#include <saltus/io/solution_output.h>
#include <saltus/io/state_output.h>
#include <saltus/io/time_average.h>
#include <saltus/io/time_series.h>

#include "parameters.h"
#include "run_state.h"
#include <optional>

namespace Saltus::ConservationLaw
{
  /// The files that grow during a cycle: pictures, time series, averages and what the section
  /// `Evaluation` asks for. They are opened at once.
  template <int dim, typename Law, typename Number>
  class Outputs
  {
  public:
    using Operator = ConservationLawOperator<dim, Law, Number>;
    using State    = RunState<Number>;

    /// @param op, clock, dof_handler are not copied and must live as long
    /// @param elements see ElementOrder
    /// @param checkpoint if given, @p state comes from it: continue files and averages
    Outputs(const Parameters                &all_parameters,
            const EvaluationRequests<dim>   &requests,
            const Law                       &law,
            const dealii::Mapping<dim>      &mapping,
            const dealii::DoFHandler<dim>   &dof_handler,
            const Operator                  &op,
            const ElementBlocks             &elements,
            const TimeClock                 &clock,
            const State                     &state,
            const std::optional<Checkpoint> &checkpoint)
      : parameters(all_parameters.output)
      , op(op)
      , elements(elements)
      , clock(clock)
      , space(mapping, dof_handler, state_quantities(law))
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
          [&](const Vector<Number> &u) { return solution(u); },
          [&op]() {
            Vector<Number> vector;
            op.initialize_vector(vector);
            return vector;
          })
    {
      if (checkpoint)
        {
          pictures.continue_from(state.pictures);
          averages.continue_from(state.pictures);
          averages.restore(*checkpoint, elements);
        }
      if (parameters.series_interval > 0)
        series.emplace(parameters.path("_" + std::to_string(state.cycle) + ".csv"),
                       series_columns(conserved_identifiers()),
                       space.communicator(),
                       checkpoint ? std::optional<double>(state.last_row) : std::nullopt);
    }

    /// Time of the next picture.
    double
    next_picture(const State &state) const
    {
      return next_multiple(last_picture(state), parameters.picture_interval);
    }

    void
    write_first(State &state)
    {
      write_picture(state);
      state.pictures = {state.time.time};
      write_row(state);
    }

    /// @param picture time of the next picture
    void
    write_what_is_due(State &state, const double picture)
    {
      const TimeState &time = state.time;
      averages.sample_if_due(time.n_steps, time.time, state.u);
      if (time.time >= picture)
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
    write_last(const State &state)
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

  private:
    std::vector<std::string>
    conserved_identifiers() const
    {
      const auto names = space.quantities.identifiers();
      return {names.begin(), names.begin() + Law::n_components};
    }

    SolutionVector
    solution(const Vector<Number> &u) const
    {
      return solution_vector(space.dof_handler, op, u);
    }

    static double
    last_picture(const State &state)
    {
      return state.pictures.empty() ? 0. : state.pictures.back();
    }

    void
    write_picture(const State &state)
    {
      const double         time     = state.time.time;
      const SolutionVector solution = this->solution(state.u);
      write_quantities(pictures, time, space, solution);
      averages.write(time, solution);
      evaluation.write_pictures(time, solution);
      if (!series)
        evaluation.write_rows(time, solution);
    }

    void
    write_row(const State &state)
    {
      if (!series)
        return;
      series->add(series_row(state.time, op.statistics(state.u), clock.outflow()));
      if (evaluation.has_rows())
        evaluation.write_rows(state.time.time, solution(state.u));
    }

    /// Rows of the evaluation come with those of the time series or, without one, with pictures.
    std::optional<RestartTimes>
    restart_times(const State &state) const
    {
      return RestartTimes{parameters.series_interval > 0 ? state.last_row : last_picture(state),
                          state.pictures};
    }

    const OutputParameters    parameters;
    const Operator           &op;
    const ElementBlocks      &elements;
    const TimeClock          &clock;
    const SolutionSpace<dim>  space;
    const std::string         name; ///< of this cycle's files
    SolutionWriter<dim>       pictures;
    Evaluation<dim>           evaluation;
    TimeAverages<dim, Number> averages;
    std::optional<TimeSeries> series;
  };
} // namespace Saltus::ConservationLaw

#endif
