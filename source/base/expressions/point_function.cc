// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/base/expressions/point_function.h>

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
    : device(device)
  {
    device.make_current();
    if (device.is_cuda())
      kernel = GpuKernel(point_program(expression, type_name<Number>()));
    else if (expression.dimension() == 2)
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
    device.make_current();
    // On a GPU, time and step size are addresses only: the state is on the device.
    if (device.is_cuda())
      kernel.launch(n_points, {}, n_points, points, &state->time, &state->dt, fraction, values);
    else
      on_host->run(state->time + fraction * state->dt, n_points, points, values);
  }

  template class PointFunction<double>;
  template class PointFunction<float>;
} // namespace Saltus
