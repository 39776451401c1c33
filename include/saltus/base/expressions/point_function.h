// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_point_function_h
#define saltus_base_expressions_point_function_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/device/time_state.h>
#include <saltus/base/expressions/expression.h>

#include <cstddef>
#include <memory>

namespace Saltus
{
  /// Evaluates an expression at points where these are. On the CPU deal.II's FunctionParser does
  /// it, on all threads. For a GPU the expression is translated and compiled, see GpuKernel.
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

  private:
    /// On the host.
    class Evaluation;
    template <int dim>
    class EvaluationIn;

    Device                            device;
    GpuKernel                         kernel;  ///< on a GPU
    std::shared_ptr<const Evaluation> on_host; ///< on the CPU
  };
} // namespace Saltus

#endif
