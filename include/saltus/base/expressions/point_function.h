// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_point_function_h
#define saltus_base_expressions_point_function_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/time_state.h>
#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/point_kernel.h>

#include <cstddef>
#include <memory>

namespace Saltus
{
  /// Evaluates an expression at points where these are: on the CPU deal.II's FunctionParser does
  /// it, on all threads; for a GPU the expression is translated and compiled. Where that cannot be
  /// done (a message says why) values are computed on the host and uploaded, which takes longer
  /// than a Runge-Kutta stage.
  template <typename Number>
  class PointFunction
  {
  public:
    PointFunction(const Expression &expression, const Device device);

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
      return !device.is_cuda() || kernel != nullptr;
    }

  private:
    /// On the host.
    class Evaluation;
    template <int dim>
    class EvaluationIn;

    Expression                         expression;
    Device                             device;
    std::shared_ptr<const PointKernel> kernel;
    std::shared_ptr<const Evaluation>  on_host; ///< unless there is a kernel
  };
} // namespace Saltus

#endif
