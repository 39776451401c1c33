// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_field_function_h
#define saltus_operators_spaces_field_function_h

#include <deal.II/base/function.h>

#include <saltus/base/device/memory.h>
#include <saltus/base/device/time_state.h>
#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/point_function.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Initial states, boundary data or coefficient fields as functions of position and time: an
  /// expression, which is evaluated where the data is (see PointFunction), or any deal.II function,
  /// which is evaluated on the host and for a CUDA device uploaded. Scalar functions are evaluated
  /// by their value_list(), others by their vector_value_list(), as deal.II does.
  template <int dim>
  struct FieldFunction
  {
    FieldFunction() = default;

    /// @param primitive whether the values are primitive variables
    /// @throws dealii::ExcMessage for an expression in other coordinates
    FieldFunction(const Expression &expression, const bool primitive = false)
      : expression(std::make_shared<const Expression>(expression))
      , primitive(primitive)
    {
      expression.check_dimension(dim);
    }

    /// @param time_dependent false only for a function that never changes: then its values may be
    /// kept. Else they are computed anew whenever they are wanted, also for a time at which they
    /// were before, because nobody says when the parameters of a function change.
    FieldFunction(const std::shared_ptr<dealii::Function<dim>> &function,
                  const bool                                    primitive      = false,
                  const bool                                    time_dependent = true)
      : function(function)
      , primitive(primitive)
      , function_depends_on_time(time_dependent)
    {}

    bool
    empty() const
    {
      return expression == nullptr && function == nullptr;
    }

    unsigned int
    n_components() const
    {
      return expression ? expression->n_components() : function->n_components;
    }

    bool
    depends_on_time() const
    {
      return expression ? expression->depends_on_time() : function_depends_on_time;
    }

    /// The time for values at @p time: without one a function's own, for an expression 0.
    double
    time_at(const std::optional<double> time) const
    {
      return time ? *time : (function ? function->get_time() : 0.);
    }

    /// Whether the values at one time are always the same.
    bool
    is_fixed() const
    {
      return expression != nullptr || !function_depends_on_time;
    }

    std::shared_ptr<const Expression>      expression;
    std::shared_ptr<dealii::Function<dim>> function;
    bool                                   primitive                = false;
    bool                                   function_depends_on_time = true;
  };

  /// A field function together with the points at which it is wanted, on one device.
  template <int dim, typename Number>
  class PointValues
  {
  public:
    PointValues(const FieldFunction<dim>              &function,
                const std::vector<dealii::Point<dim>> &points,
                const Device                           device);

    /// @param points `[point][d]`, on their device
    PointValues(const FieldFunction<dim> &function, Memory<double> points);

    /// Write `[point][component]` to @p values (on the device) for the time
    /// `state->time + fraction * state->dt`, with @p state on the device. A function has its own
    /// time again afterwards.
    void
    evaluate(const TimeState *state, const double fraction, Number *values) const;

    /// The same at a time that the host knows, see FieldFunction::time_at().
    void
    evaluate(const std::optional<double> time, Number *values) const;

    std::size_t
    n_points() const
    {
      return points.size() / dim;
    }

    /// @param values that evaluate() has written
    /// @param name of the function, for the message
    /// @throws dealii::ExcMessage at the first point where a value is not finite
    void
    check_finite(const Number *values, const std::string &name) const;

    /// Whether evaluate() only launches work on the device (and may be recorded in a graph).
    bool
    runs_on_device() const;

    FieldFunction<dim> function;

  private:
    void
    evaluate_on_host(const TimeState *state, const double fraction, Number *values) const;

    Memory<double>                         points; ///< `[point][d]`
    mutable Memory<TimeState>              state;  ///< for a time that the host knows
    std::unique_ptr<PointFunction<Number>> point_function;
  };
} // namespace Saltus

#endif
