// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_point_function_h
#define saltus_base_point_function_h

#include <saltus/base/device.h>
#include <saltus/base/expression.h>
#include <saltus/base/time_state.h>

#include <cstddef>

namespace Saltus
{
  /// Evaluates an expression at points. deal.II's FunctionParser does it on the host, on all
  /// threads; for a CUDA device the values are uploaded.
  template <typename Number>
  class PointFunction
  {
  public:
    PointFunction(const Expression &expression, const Device device)
      : expression(expression)
      , device(device)
    {}

    /// Write `[point][component]` to @p values for @p points `[point][d]`, at the time
    /// `state->time + fraction * state->dt`. All pointers belong to the device.
    void
    evaluate(const std::size_t n_points,
             const double     *points,
             const TimeState  *state,
             const double      fraction,
             Number           *values) const;

    /// Whether evaluate() only launches work on the device.
    bool
    runs_on_device() const
    {
      return !device.is_cuda();
    }

  private:
    Expression expression;
    Device     device;
  };
} // namespace Saltus

#endif
