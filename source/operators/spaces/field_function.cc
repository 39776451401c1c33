// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/threads.h>
#include <saltus/operators/spaces/field_function.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[point][d]`
    template <int dim>
    std::vector<double>
    coordinates_of(const std::vector<Point<dim>> &points)
    {
      std::vector<double> coordinates(points.size() * dim);
      parallel_for(points.size(), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          for (unsigned int d = 0; d < dim; ++d)
            coordinates[i * dim + d] = points[i][d];
      });
      return coordinates;
    }

    /// Write `[point][component]`. As in deal.II, lists of a scalar function come from
    /// value_list(), those of others from vector_value_list(): a function may override nothing
    /// else.
    template <int dim, typename Number>
    void
    evaluate_list(const Function<dim>           &function,
                  const std::vector<Point<dim>> &points,
                  Number                        *values)
    {
      if (function.n_components == 1)
        {
          std::vector<double> list(points.size());
          function.value_list(points, list);
          std::copy(list.begin(), list.end(), values);
          return;
        }
      std::vector<dealii::Vector<double>> list(points.size(),
                                               dealii::Vector<double>(function.n_components));
      function.vector_value_list(points, list);
      for (const dealii::Vector<double> &value : list)
        values = std::copy(value.begin(), value.end(), values);
    }

    /// Sets a function to a time, and at the end to the time that it had.
    template <int dim>
    class AtTime
    {
    public:
      AtTime(Function<dim> &function, const double time)
        : function(function)
        , own_time(function.get_time())
      {
        function.set_time(time);
      }

      AtTime(const AtTime &) = delete;

      ~AtTime()
      {
        function.set_time(own_time);
      }

    private:
      Function<dim> &function;
      const double   own_time;
    };
  } // namespace

  template <int dim, typename Number>
  PointValues<dim, Number>::PointValues(const FieldFunction<dim>      &function,
                                        const std::vector<Point<dim>> &points,
                                        const Device                   device)
    : PointValues(function, Memory<double>(device, coordinates_of(points)))
  {}

  template <int dim, typename Number>
  PointValues<dim, Number>::PointValues(const FieldFunction<dim> &function, Memory<double> points)
    : function(function)
    , points(std::move(points))
    , state(this->points.device(), 1)
  {
    if (function.expression)
      point_function =
        std::make_unique<PointFunction<Number>>(*function.expression, this->points.device());
  }

  template <int dim, typename Number>
  void
  PointValues<dim, Number>::evaluate(const TimeState *state,
                                     const double     fraction,
                                     Number          *values) const
  {
    if (point_function)
      point_function->evaluate(n_points(), points.data(), state, fraction, values);
    else
      evaluate_on_host(state, fraction, values);
  }

  template <int dim, typename Number>
  void
  PointValues<dim, Number>::evaluate(const std::optional<double> time, Number *values) const
  {
    TimeState now;
    now.time = function.time_at(time);
    state.copy_from_host(&now);
    evaluate(state.data(), 0., values);
  }

  template <int dim, typename Number>
  void
  PointValues<dim, Number>::check_finite(const Number *values, const std::string &name) const
  {
    const Device       device       = points.device();
    const unsigned int n_components = function.n_components();
    const std::size_t  n            = n_points() * n_components;
    device.make_current();
    if (n == 0 || std::isfinite(VectorKernels<Number>(device).max_difference(n, values, nullptr)))
      return;
    std::vector<Number> on_host(n);
    if (device.is_cuda())
      CudaRuntime::copy_to_host(on_host.data(), values, n * sizeof(Number));
    else
      std::copy_n(values, n, on_host.begin());
    const std::size_t i = std::find_if(on_host.begin(),
                                       on_host.end(),
                                       [](const Number v) { return !std::isfinite(v); }) -
                          on_host.begin();
    AssertThrow(i < n, ExcInternalError());
    const std::vector<double> coordinates = points.to_host();
    Point<dim>                point;
    for (unsigned int d = 0; d < dim; ++d)
      point[d] = coordinates[i / n_components * dim + d];
    std::ostringstream text;
    text << "The " << name << " must be finite, but is " << on_host[i] << " at (" << point << ").";
    AssertThrow(false, ExcMessage(text.str()));
  }

  template <int dim, typename Number>
  bool
  PointValues<dim, Number>::runs_on_device() const
  {
    return !points.device().is_cuda() || point_function != nullptr;
  }

  template <int dim, typename Number>
  void
  PointValues<dim, Number>::evaluate_on_host(const TimeState *state,
                                             const double     fraction,
                                             Number          *values) const
  {
    TimeState time;
    points.device().make_current();
    if (points.device().is_cuda())
      CudaRuntime::copy_to_host(&time, state, sizeof(TimeState));
    else
      time = *state;
    const AtTime<dim> at_time(*function.function, time.time + fraction * time.dt);

    constexpr std::size_t     max_in_list  = 256; // bounds the memory of a list
    const std::vector<double> coordinates  = points.to_host();
    const unsigned int        n_components = function.n_components();
    std::vector<Number>       result(n_points() * n_components);
    for (std::size_t first = 0; first < n_points(); first += max_in_list)
      {
        std::vector<Point<dim>> list(std::min(max_in_list, n_points() - first));
        for (std::size_t i = 0; i < list.size(); ++i)
          for (unsigned int d = 0; d < dim; ++d)
            list[i][d] = coordinates[(first + i) * dim + d];
        evaluate_list(*function.function, list, &result[first * n_components]);
      }
    if (points.device().is_cuda())
      CudaRuntime::copy_to_device(values, result.data(), result.size() * sizeof(Number));
    else
      std::copy(result.begin(), result.end(), values);
  }

  template class PointValues<2, double>;
  template class PointValues<3, double>;
  template class PointValues<2, float>;
  template class PointValues<3, float>;
} // namespace Saltus
