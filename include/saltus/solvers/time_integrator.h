// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_time_integrator_h
#define saltus_solvers_time_integrator_h

#include <saltus/operators/conservation_law_operator.h>
#include <saltus/solvers/runge_kutta.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <sstream>

namespace Saltus
{
  /// Explicit Runge-Kutta steps of a ConservationLawOperator, with its memory.
  template <typename Operator, typename Number = double>
  class TimeIntegrator
  {
  public:
    /// @param limit apply the limiter after every stage
    TimeIntegrator(const Operator &op, const RungeKutta &scheme, const bool limit = false)
      : op(op)
      , scheme(scheme)
      , limit(limit)
    {
      for (Vector<Number> &vector : stage_states)
        op.initialize_vector(vector);
      if (scheme.needs_accumulator())
        op.initialize_vector(accumulator);
    }

    /// Advance @p u by one step of the length that the operator's time state asks for.
    void
    step(Vector<Number> &u)
    {
      op.begin_step(u);
      const Vector<Number> *in     = &u;
      const auto           &stages = scheme.stages();
      for (unsigned int s = 0; s < stages.size(); ++s)
        {
          // The last stage may overwrite the base: it reads it in the same element only.
          Vector<Number> &out = s + 1 == stages.size() ? u : stage_states[s % 2];
          op.stage(stages[s], *in, u, accumulator, out);
          if (limit)
            op.limit(out);
          in = &out;
        }
      op.end_step();
    }

    /// Advance by @p n steps. On a GPU their launches are recorded once and replayed. Steps beyond
    /// the end in the time state have length 0: they change @p u by rounding only.
    void
    steps(Vector<Number> &u, const unsigned int n)
    {
      if (!op.device().is_cuda() || !op.runs_on_device())
        {
          for (unsigned int i = 0; i < n; ++i)
            step(u);
          return;
        }
      if (recorded_for != u.data())
        {
          graph.record([&]() { step(u); });
          recorded_for = u.data();
        }
      for (unsigned int i = 0; i < n; ++i)
        graph.launch();
    }

    /// Advance by @p n steps, or fewer if the end in the operator's time state comes first. Which
    /// steps are done does not depend on how a run is divided into such calls.
    /// @param stop asked after every half second or step, whatever is longer; no further steps are
    /// done once it is true
    /// @throws dealii::ExcMessage for an inadmissible state, or if the time does not advance
    void
    advance(
      Vector<Number>              &u,
      const long                   n,
      const std::function<bool()> &stop = []() { return false; })
    {
      using Clock      = std::chrono::steady_clock;
      TimeState  state = op.time_state();
      const long last  = state.n_steps + n;
      long       batch = 1; // nothing is known yet about the length of the next step
      while (state.n_steps < last && state.time < state.end)
        {
          const TimeState before = state;
          const auto      start  = Clock::now();
          steps(u, std::min(batch, last - static_cast<long>(state.n_steps)));
          op.check_states();
          state = op.time_state();
          check_progress(before.time, state);
          if (stop())
            return;
          // Half of what is left at this step size, so that no step is done in vain even if it
          // grows, and half a second at most.
          const double a_step = std::chrono::duration<double>(Clock::now() - start).count() /
                                (state.n_steps - before.n_steps);
          batch = static_cast<long>(std::clamp(
            std::min(0.5 * (state.end - state.time) / state.dt, 0.5 / a_step), 1., max_batch));
        }
    }

  private:
    static constexpr double max_batch = 100;

    static void
    check_progress(const double before, const TimeState &state)
    {
      if (state.time > before)
        return;
      std::ostringstream message;
      message << "The time does not advance beyond " << state.time << ": the step size is "
              << state.dt << ". The wave speeds are too large, or not finite.";
      AssertThrow(false, dealii::ExcMessage(message.str()));
    }

    const Operator    &op;
    const RungeKutta   scheme;
    const bool         limit;
    Vector<Number>     stage_states[2];
    Vector<Number>     accumulator;
    CudaRuntime::Graph graph;
    const Number      *recorded_for = nullptr;
  };
} // namespace Saltus

#endif
