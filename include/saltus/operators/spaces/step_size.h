// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_step_size_h
#define saltus_operators_spaces_step_size_h

#include <saltus/base/device/host_device.h>
#include <saltus/base/device/time_state.h>

#include <cmath>
#include <cstring>

/// From wave speeds to the length of the next step. A wave speed that is not a number is not lost
/// on the way: it makes the step size one that is none either.
namespace Saltus
{
  /// The larger one; not a number if one of them is none.
  template <typename T>
  SALTUS_HOST_DEVICE
  T
  larger_or_nan(const T a, const T b)
  {
    return a < b || b != b ? b : a;
  }

  /// The bits of a number that is not negative, or not a number. As integers they have the order of
  /// the numbers, and what is not a number is larger than all: maxima by atomic integer operations.
  SALTUS_HOST_DEVICE
  long long
  ordered_bits(const double number)
  {
    long long bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits & ~(1ll << 63);
  }

  /// The number with these ordered_bits().
  SALTUS_HOST_DEVICE
  double
  from_ordered_bits(const long long bits)
  {
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
  }

  /// Step size of CFL number `state.cfl` from the largest sum over the faces of an element of
  /// \f$ |F| \lambda_F / \det J \f$ (see StepSizeArguments), for @p degree in dimension @p dim;
  /// `max_dt` if the CFL number is 0, else not a number if @p rate is none.
  SALTUS_HOST_DEVICE
  double
  step_from_rate(const TimeState &state,
                 const double     rate,
                 const int        degree,
                 const int        dim,
                 const double     reference_volume)
  {
    const double dt = state.cfl * 2. * dim * reference_volume / ((2 * degree + 1) * rate);
    return state.cfl == 0. || dt >= state.max_dt ? state.max_dt : dt;
  }

  /// Set the next step to @p dt, or to less where the end is nearer. A remainder below a millionth
  /// of a step is not worth a step of its own. A step that nothing limits has length 0.
  SALTUS_HOST_DEVICE
  void
  set_step(TimeState &state, const double dt)
  {
    const double left = state.end - state.time;
    state.dt          = left <= dt * (1. + 1e-6) ? (left > 0. ? left : 0.) : dt;
    if (state.dt == TimeState::unlimited)
      state.dt = 0.;
  }

  /// The step in a form in which that of several ranks is the largest one: the shorter, the larger;
  /// what is not a number is larger than all, a step that nothing limits smaller.
  SALTUS_HOST_DEVICE
  long long
  shortness(const TimeState &state)
  {
    const long long none = 1ll << 62; // those of numbers are not positive
    return state.dt != state.dt ? none
                                : -ordered_bits(state.dt == 0. ? TimeState::unlimited : state.dt);
  }

  /// Set the step that has this shortness().
  SALTUS_HOST_DEVICE
  void
  set_step_of_shortness(TimeState &state, const long long shortness)
  {
    state.dt = shortness > 0 ? NAN : from_ordered_bits(-shortness);
    if (state.dt == TimeState::unlimited)
      state.dt = 0.;
  }

  /// All as work for launch(), of one state.
  struct GetShortness
  {
    const TimeState *state;
    long long       *result;

    SALTUS_HOST_DEVICE
    void
    operator()(const int) const
    {
      *result = shortness(*state);
    }
  };

  /// The shortest of the steps that several kernels set one after the other.
  struct ShortestStep
  {
    TimeState *state;
    long long *shortest; ///< its shortness(), so far
    bool       is_first;

    SALTUS_HOST_DEVICE
    void
    operator()(const int) const
    {
      const long long now = shortness(*state);
      if (is_first || now > *shortest)
        *shortest = now;
      set_step_of_shortness(*state, *shortest);
    }
  };

  struct SetStepOfShortness
  {
    TimeState       *state;
    const long long *shortness;

    SALTUS_HOST_DEVICE
    void
    operator()(const int) const
    {
      set_step_of_shortness(*state, *shortness);
    }
  };

  /// Advance the time by one step.
  SALTUS_HOST_DEVICE
  void
  advance(TimeState &state)
  {
    if (state.dt == 0.)
      return;
    const bool last = state.dt == state.end - state.time;
    state.time      = last ? state.end : state.time + state.dt;
    ++state.n_steps;
  }
} // namespace Saltus

#endif
