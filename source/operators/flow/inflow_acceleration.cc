// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/vector.h>

#include <saltus/base/expressions/parsed_function.h>
#include <saltus/operators/flow/inflow_acceleration.h>

#include <cmath>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// See InflowAcceleration; zero where the velocity is not defined.
    template <int dim>
    class AlongPath : public Function<dim>
    {
    public:
      AlongPath(std::shared_ptr<Function<dim>> velocity, std::shared_ptr<const double> interval)
        : Function<dim>(dim)
        , velocity(std::move(velocity))
        , interval(std::move(interval))
      {}

      void
      vector_value(const Point<dim> &x, dealii::Vector<double> &result) const override
      {
        const double           dt = *interval, time = this->get_time();
        dealii::Vector<double> before(dim);
        velocity->set_time(time);
        velocity->vector_value(x, before);
        Point<dim> y = x;
        for (unsigned int d = 0; d < dim; ++d)
          y[d] += dt * before[d];
        velocity->set_time(time + dt);
        velocity->vector_value(y, result);
        for (unsigned int d = 0; d < dim; ++d)
          {
            const double difference = (result[d] - before[d]) / dt;
            result[d]               = std::isfinite(difference) ? difference : 0.;
          }
      }

    private:
      const std::shared_ptr<Function<dim>> velocity;
      const std::shared_ptr<const double>  interval;
    };

    template <int dim>
    FieldFunction<dim>
    along_path(const FieldFunction<dim> &velocity, const std::shared_ptr<const double> &interval)
    {
      std::shared_ptr<Function<dim>> function = velocity.function;
      if (velocity.expression)
        function = parsed_function<dim>(*velocity.expression);
      return std::shared_ptr<Function<dim>>(std::make_shared<AlongPath<dim>>(function, interval));
    }
  } // namespace

  template <int dim, typename Number>
  InflowAcceleration<dim, Number>::InflowAcceleration(const ElementSpace<dim, Number>   &space,
                                                      const FlowBoundaryConditions<dim> &conditions)
    : interval(std::make_shared<double>(0.))
  {
    const auto is_given = [&](const types::boundary_id id) {
      const auto &condition = conditions.at(id);
      return condition.kind == FlowBoundary::velocity && !condition.data.empty();
    };
    kinds_ = on_boundary_faces(space, [&](const types::boundary_id id) {
      return is_given(id) ? FlowBoundary::across : conditions.at(id).kind;
    });
    values = {space, dim, [&](const types::boundary_id id) {
                return is_given(id) ? along_path(conditions.at(id).data, interval)
                                    : FieldFunction<dim>();
              }};
  }

  template <int dim, typename Number>
  void
  InflowAcceleration<dim, Number>::update(const double time, const double dt)
  {
    *interval    = dt;
    acceleration = values.at(time);
    if (values.largest() == 0.)
      acceleration = nullptr;
  }

  template <int dim, typename Number>
  void
  InflowAcceleration<dim, Number>::set(const CarriedData &data,
                                       const Number      *g,
                                       Number            *carried,
                                       Number            *carrier) const
  {
    values.combine(data.factor, g, data.acceleration, acceleration, carried);
    values.combine(1., g, 0., acceleration, carrier);
  }

  template class InflowAcceleration<2, double>;
  template class InflowAcceleration<3, double>;
} // namespace Saltus
