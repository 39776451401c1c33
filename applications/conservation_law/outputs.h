// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_outputs_h
#define applications_conservation_law_outputs_h

#include <saltus/io/output_parameters.h>
#include <saltus/io/state_output.h>
#include <saltus/io/time_series.h>

#include "run_state.h"
#include <algorithm>
#include <optional>

namespace Saltus::ConservationLaw
{
  /// The files that grow during a cycle: pictures and the time series. They are opened at once.
  template <int dim, typename Law, typename Number>
  class Outputs
  {
  public:
    using Operator = ConservationLawOperator<dim, Law, Number>;
    using State    = RunState<Number>;

    /// @param op, clock, dof_handler are not copied and must live as long
    /// @param restarted continue the files from @p state
    Outputs(const OutputParameters        &parameters,
            const Law                     &law,
            const dealii::Mapping<dim>    &mapping,
            const dealii::DoFHandler<dim> &dof_handler,
            const Operator                &op,
            const TimeClock               &clock,
            const State                   &state,
            const bool                     restarted)
      : parameters(parameters)
      , law(law)
      , dof_handler(dof_handler)
      , op(op)
      , clock(clock)
      , pictures(mapping,
                 dof_handler.get_triangulation(),
                 std::max(1U, dof_handler.get_fe().degree),
                 output_quantities<Law>(),
                 parameters.directory,
                 parameters.name + "_" + std::to_string(state.cycle))
    {
      if (restarted)
        pictures.continue_from(state.pictures);
      if (parameters.series_interval > 0)
        series.emplace(parameters.path("_" + std::to_string(state.cycle) + ".csv"),
                       series_columns(
                         {Law::conserved_names, Law::conserved_names + Law::n_components}),
                       MPI_COMM_WORLD,
                       restarted ? std::optional<double>(state.last_row) : std::nullopt);
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

  private:
    static double
    last_picture(const State &state)
    {
      return state.pictures.empty() ? 0. : state.pictures.back();
    }

    void
    write_picture(const State &state)
    {
      write_state(pictures, state.time.time, dof_handler, coefficients(op, state.u), law);
    }

    void
    write_row(const State &state)
    {
      if (series)
        series->add(series_row(state.time, op.statistics(state.u), clock.outflow()));
    }

    const OutputParameters         parameters;
    const Law                      law;
    const dealii::DoFHandler<dim> &dof_handler;
    const Operator                &op;
    const TimeClock               &clock;
    SolutionWriter<dim>            pictures;
    std::optional<TimeSeries>      series;
  };
} // namespace Saltus::ConservationLaw

#endif
