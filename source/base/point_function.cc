// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/cuda_runtime.h>
#include <saltus/base/expression_translation.h>
#include <saltus/base/parsed_function.h>
#include <saltus/base/point_function.h>
#include <saltus/base/say_once.h>
#include <saltus/base/threads.h>

#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim, typename Number>
    void
    evaluate_on_host(const Expression &expression,
                     const double      time,
                     const std::size_t n_points,
                     const double     *points,
                     Number           *values)
    {
      const unsigned int n_components = expression.n_components();
      parallel_for(n_points, [&](const std::size_t begin, const std::size_t end) {
        const auto             function = parsed_function<dim>(expression, time);
        dealii::Vector<double> value(n_components);
        for (std::size_t i = begin; i < end; ++i)
          {
            Point<dim> point;
            for (unsigned int d = 0; d < dim; ++d)
              point[d] = points[i * dim + d];
            function->vector_value(point, value);
            for (unsigned int c = 0; c < n_components; ++c)
              values[i * n_components + c] = value[c];
          }
      });
    }
  } // namespace

  template <typename Number>
  PointFunction<Number>::PointFunction(const Expression &expression, const Device device)
    : expression(expression)
    , device(device)
  {
    if (!device.is_cuda())
      return;
    device.make_current();
    const ExpressionTranslation translation = translate(expression);
    std::string                 reason      = translation.reason;
    if (translation.succeeded())
      kernel = make_point_kernel(point_kernel_source(translation,
                                                     expression.dimension(),
                                                     sizeof(Number) == sizeof(double) ? "double"
                                                                                      : "float"),
                                 reason);
    if (kernel == nullptr)
      say_once("the expression '" + expression.text() +
               "' is evaluated on the host and uploaded: " + reason + ".");
  }

  template <typename Number>
  void
  PointFunction<Number>::evaluate(const std::size_t n_points,
                                  const double     *points,
                                  const TimeState  *state,
                                  const double      fraction,
                                  Number           *values) const
  {
    const auto evaluate_at = [&](const TimeState &time, const double *from, Number *to) {
      const double t = time.time + fraction * time.dt;
      if (expression.dimension() == 2)
        evaluate_on_host<2>(expression, t, n_points, from, to);
      else
        evaluate_on_host<3>(expression, t, n_points, from, to);
    };

    if (!device.is_cuda())
      {
        evaluate_at(*state, points, values);
        return;
      }
    device.make_current();
    if (kernel != nullptr)
      {
        // Addresses only: the state is on the device.
        kernel->launch(n_points, points, &state->time, &state->dt, fraction, values);
        return;
      }
    TimeState           time;
    std::vector<double> host_points(n_points * expression.dimension());
    std::vector<Number> host_values(n_points * expression.n_components());
    CudaRuntime::copy_to_host(&time, state, sizeof(TimeState));
    CudaRuntime::copy_to_host(host_points.data(), points, host_points.size() * sizeof(double));
    evaluate_at(time, host_points.data(), host_values.data());
    CudaRuntime::copy_to_device(values, host_values.data(), host_values.size() * sizeof(Number));
  }

  template class PointFunction<double>;
  template class PointFunction<float>;
} // namespace Saltus
