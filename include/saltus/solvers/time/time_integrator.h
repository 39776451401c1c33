// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_time_time_integrator_h
#define saltus_solvers_time_time_integrator_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/solvers/time/runge_kutta.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace Saltus
{
  /// Explicit Runge-Kutta steps of a ConservationLawOperator, or a MixedConservationLawOperator,
  /// with its memory. Operator and clock may change between two steps, also by the operator's
  /// `reinit`, on another mesh too, and by assigning another clock: the next step notices. The
  /// vector must then be made anew as well.
  template <typename Operator>
  class TimeIntegrator
  {
  public:
    using VectorType = typename Operator::VectorType;
    using Number     = typename Operator::value_type;
    using Clock      = typename Operator::Clock;

    /// @param op,clock must live as long as the integrator
    /// @param limiter is applied after every stage
    TimeIntegrator(const Operator   &op,
                   Clock            &clock,
                   const RungeKutta &scheme,
                   const Limiter     limiter = Limiter::none)
      : op(op)
      , clock(clock)
      , scheme(scheme)
      , limiter(limiter)
    {}

    /// Advance @p u by one step of the length that the clock's state asks for.
    void
    step(VectorType &u)
    {
      prepare();
      enqueue_step(u);
    }

    /// Advance by @p n steps. On a GPU their launches are recorded once and replayed. Steps beyond
    /// the end in the clock's state have length 0: they change @p u by rounding only.
    void
    steps(VectorType &u, const unsigned int n)
    {
      prepare();
      if (!op.device().is_cuda() || !op.runs_on_device())
        {
          for (unsigned int i = 0; i < n; ++i)
            enqueue_step(u);
          return;
        }
      record(u);
      for (unsigned int i = 0; i < n; ++i)
        graph.launch();
    }

    /// Advance to the end in the clock's state, but by at most @p n steps. Which steps are done
    /// does not depend on how a run is divided into such calls.
    /// @param stop asked after every half second or step, whatever is longer; no further steps are
    /// done once it is true on a rank
    /// @throws dealii::ExcMessage for an inadmissible state, or if the time does not advance. Who
    /// catches it may set @p u and the clock to what they were before and go on with other steps.
    void
    advance(
      VectorType                  &u,
      const long                   n    = std::numeric_limits<long>::max(),
      const std::function<bool()> &stop = []() { return false; })
    {
      using WallClock = std::chrono::steady_clock;
      TimeState state = clock.state();
      long      batch = 1; // nothing is known yet about the length of the next step
      for (long left = n; left > 0 && state.time < state.end;)
        {
          const TimeState before = state;
          const auto      start  = WallClock::now();
          steps(u, std::min(batch, left));
          op.check_states(clock);
          state = clock.state();
          check_progress(before, state);
          left -= state.n_steps - before.n_steps;
          if (op.largest_of_ranks(stop() ? 1. : 0.) > 0.)
            return;
          // Half of what is left at this step size, so that no step is done in vain even if it
          // grows, and half a second at most.
          const std::chrono::duration<double> seconds = WallClock::now() - start;
          const double                        a_step =
            op.largest_of_ranks(seconds.count()) / (state.n_steps - before.n_steps);
          if (state.dt > 0.)
            batch = static_cast<long>(std::clamp(
              std::min(0.5 * (state.end - state.time) / state.dt, 0.5 / a_step), 1., max_batch));
        }
    }

  private:
    static constexpr double max_batch = 100;

    /// What recorded launches refer to.
    struct Target
    {
      Identity                    op, clock;
      std::vector<const Number *> u;
      std::size_t                 size;

      bool
      operator==(const Target &other) const
      {
        return op == other.op && clock == other.clock && u == other.u && size == other.size;
      }
    };

    /// The vectors, before anything is recorded.
    void
    prepare()
    {
      if (prepared_for == op.identity())
        return;
      for (VectorType &vector : stage_states)
        op.initialize_vector(vector);
      if (scheme.needs_accumulator())
        op.initialize_vector(accumulator);
      graph.clear();
      recorded_for.reset();
      prepared_for = op.identity();
    }

    void
    record(VectorType &u)
    {
      const Target target{op.identity(), clock.identity(), arrays_of(u), u.size()};
      if (recorded_for == target)
        return;
      recorded_for.reset();
      op.device().make_current();
      graph.record([&]() { enqueue_step(u); });
      recorded_for = target;
    }

    void
    enqueue_step(VectorType &u)
    {
      op.begin_step(clock, u, limiter);
      const VectorType *in     = &u;
      const auto       &stages = scheme.stages();
      for (unsigned int s = 0; s < stages.size(); ++s)
        {
          // The last stage may overwrite the base: it reads it in the same element only.
          VectorType &out = s + 1 == stages.size() ? u : stage_states[s % 2];
          op.stage(clock, stages[s], *in, u, accumulator, out);
          if (limiter != Limiter::none)
            op.limit(out, limiter);
          in = &out;
        }
      op.end_step(clock);
    }

    static void
    check_progress(const TimeState &before, const TimeState &now)
    {
      if (now.time > before.time)
        return;
      std::ostringstream message;
      message << "The time does not advance beyond " << before.time << ": the step size is "
              << now.dt
              << ". The wave speeds are too large, or not finite; or they are 0 and nothing else "
                 "limits the step: then set 'end' or 'max_dt' of the clock's state.";
      AssertThrow(false, dealii::ExcMessage(message.str()));
    }

    const Operator       &op;
    Clock                &clock;
    const RungeKutta      scheme;
    const Limiter         limiter;
    VectorType            stage_states[2];
    VectorType            accumulator;
    Identity              prepared_for; ///< differs from all operators' at first
    CudaRuntime::Graph    graph;
    std::optional<Target> recorded_for;
  };
} // namespace Saltus

#endif
