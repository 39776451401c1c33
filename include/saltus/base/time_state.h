// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_time_state_h
#define saltus_base_time_state_h

#include <saltus/base/host_device.h>

namespace Saltus
{
  /// Simulated time and step size; lives where the data lives.
  struct TimeState
  {
    double    time    = 0;
    double    dt      = 1;
    double    end     = 1e300; ///< steps are cut so that they end here; then dt is 0
    double    max_dt  = 1e300; ///< upper bound; the step size itself where cfl is 0
    double    cfl     = 0;
    long long n_steps = 0; ///< steps of positive length so far
  };

  /// Step size of CFL number `state.cfl` from the largest sum over the faces of an element of
  /// \f$ |F| \lambda_F / \det J \f$ (see StepSizeArguments), for @p degree in dimension @p dim;
  /// `max_dt` if the CFL number is 0.
  SALTUS_HOST_DEVICE
  double
  step_from_rate(const TimeState &state,
                 const double     rate,
                 const int        degree,
                 const int        dim,
                 const double     reference_volume)
  {
    const double dt = state.cfl * 2. * dim * reference_volume / ((2 * degree + 1) * rate);
    return state.cfl > 0. && dt < state.max_dt ? dt : state.max_dt;
  }

  /// Set the next step to @p dt, or to less where the end is nearer. A remainder below a millionth
  /// of a step is not worth a step of its own.
  SALTUS_HOST_DEVICE
  void
  set_step(TimeState &state, const double dt)
  {
    const double left = state.end - state.time;
    state.dt          = left <= dt * (1. + 1e-6) ? (left > 0. ? left : 0.) : dt;
  }

  /// Advance the time by one step.
  SALTUS_HOST_DEVICE
  void
  advance(TimeState &state)
  {
    if (state.dt > 0.)
      {
        const bool last = state.dt == state.end - state.time;
        state.time      = last ? state.end : state.time + state.dt;
        ++state.n_steps;
      }
  }
} // namespace Saltus

#endif
