// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/say_once.h>
#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/base/expressions/point_function.h>

#include <vector>

namespace Saltus
{
  using namespace dealii;

  template <typename Number>
  class PointFunction<Number>::Evaluation
  {
  public:
    virtual ~Evaluation() = default;

    virtual void
    run(const double      time,
        const std::size_t n_points,
        const double     *points,
        Number           *values) const = 0;
  };

  template <typename Number>
  template <int dim>
  class PointFunction<Number>::EvaluationIn : public Evaluation
  {
  public:
    explicit EvaluationIn(const Expression &expression)
      : n_components(expression.n_components())
      , functions(expression)
    {}

    void
    run(const double      time,
        const std::size_t n_points,
        const double     *points,
        Number           *values) const override
    {
      parallel_for(n_points, [&](const std::size_t begin, const std::size_t end) {
        const Function<dim>   &function = functions.at(time);
        dealii::Vector<double> value(n_components);
        for (std::size_t i = begin; i < end; ++i)
          {
            Point<dim> point;
            for (unsigned int d = 0; d < dim; ++d)
              point[d] = points[i * dim + d];
            function.vector_value(point, value);
            for (unsigned int c = 0; c < n_components; ++c)
              values[i * n_components + c] = value[c];
          }
      });
    }

  private:
    const unsigned int         n_components;
    const ParsedFunctions<dim> functions;
  };

  template <typename Number>
  PointFunction<Number>::PointFunction(const Expression &expression, const Device device)
    : expression(expression)
    , device(device)
  {
    if (device.is_cuda())
      {
        device.make_current();
        std::string reason;
        kernel = make_point_kernel(
          point_kernel_source(expression, sizeof(Number) == sizeof(double) ? "double" : "float"),
          reason);
        if (kernel != nullptr)
          return;
        say_once("the expression '" + expression.text() +
                 "' is evaluated on the host and uploaded: " + reason + ".");
      }
    if (expression.dimension() == 2)
      on_host = std::make_shared<EvaluationIn<2>>(expression);
    else
      on_host = std::make_shared<EvaluationIn<3>>(expression);
  }

  template <typename Number>
  void
  PointFunction<Number>::evaluate(const std::size_t n_points,
                                  const double     *points,
                                  const TimeState  *state,
                                  const double      fraction,
                                  Number           *values) const
  {
    if (!device.is_cuda())
      {
        on_host->run(state->time + fraction * state->dt, n_points, points, values);
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
    on_host->run(time.time + fraction * time.dt, n_points, host_points.data(), host_values.data());
    CudaRuntime::copy_to_device(values, host_values.data(), host_values.size() * sizeof(Number));
  }

  template class PointFunction<double>;
  template class PointFunction<float>;
} // namespace Saltus
