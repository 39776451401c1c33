// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Functions that users derive from dealii::Function.
#include <deal.II/base/function.h>

#include <saltus/base/expressions/parsed_function.h>
#include <saltus/physics/advection.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Overrides value_list() alone, as the boundary values of deal.II's step-12.
  struct ScalarList : public Function<2>
  {
    explicit ScalarList(const std::string &text)
      : function(parsed_function<2>(Expression(2, text, 1)))
    {}

    void
    value_list(const std::vector<Point<2>> &points,
               std::vector<double>         &values,
               const unsigned int           component) const override
    {
      function->value_list(points, values, component);
    }

    const std::unique_ptr<Function<2>> function;
  };

  /// Overrides vector_value_list() alone.
  struct VectorList : public Function<2>
  {
    explicit VectorList(const std::string &text)
      : Function<2>(2)
      , function(parsed_function<2>(Expression(2, text, 2)))
    {}

    void
    vector_value_list(const std::vector<Point<2>>         &points,
                      std::vector<dealii::Vector<double>> &values) const override
    {
      function->vector_value_list(points, values);
    }

    const std::unique_ptr<Function<2>> function;
  };

  /// The time.
  struct Clock : public Function<2>
  {
    double
    value(const Point<2> &, const unsigned int) const override
    {
      return get_time();
    }
  };

  class UserFunctions : public OnDevice
  {};
} // namespace

TEST_P(UserFunctions, GiveListsOfValues)
{
  const Setting<2, Advection<2>> setting(2);
  const auto residual = [&](const FieldFunction<2> &state, const FieldFunction<2> &velocity) {
    BoundaryConditions<2> conditions;
    for (unsigned int id = 0; id < 4; ++id)
      conditions.set_prescribed(id, state);
    using Operator = ConservationLawOperator<2, Advection<2>>;
    Operator                 op;
    Operator::AdditionalData data;
    data.fields = velocity;
    data.source = state;
    op.reinit(setting.mapping, setting.dof_handler, {}, conditions, device(), data);
    auto      u = zeros(op), r = u;
    TimeClock clock = op.make_clock();
    op.project(state, u);
    op.apply(clock, u, r);
    return r;
  };
  const std::string state = "1+x*y", velocity = "1-y; x+0.3";
  const auto        expected = residual(Expression(2, state, 1), Expression(2, velocity, 2));
  const auto        r =
    residual({std::make_shared<ScalarList>(state)}, {std::make_shared<VectorList>(velocity)});
  EXPECT_GT(expected.linfty_norm(), 0.1);
  EXPECT_LT(r.max_difference(expected), 1e-12 * expected.linfty_norm());
}

/// Unless another time is given; and they keep it.
TEST_P(UserFunctions, AreTakenAtTheirOwnTime)
{
  const EllipticSetting<2> setting(2);
  const auto               clock           = std::make_shared<Clock>();
  const auto               right_hand_side = [&](const FieldFunction<2>     &function,
                                   const std::optional<double> time) {
    EllipticBoundaryConditions<2> conditions;
    conditions.set_dirichlet(0, function);
    conditions.set_neumann(1, function);
    conditions.set_robin(2, 2., function);
    conditions.set_dirichlet(3);
    LaplaceOperator<2>::AdditionalData data;
    data.diffusion = {function, Sampling::by_element};
    LaplaceOperator<2> A;
    A.reinit(setting.mapping, setting.dof_handler, conditions, device(), data);
    auto b = zeros(A);
    A.right_hand_side(b, function, time);
    return b;
  };
  clock->set_time(3.);
  const auto expected = right_hand_side(Expression(2, "3", 1), {});
  EXPECT_GT(expected.linfty_norm(), 0.1);
  EXPECT_LT(right_hand_side({clock}, {}).max_difference(expected), 1e-13);
  EXPECT_EQ(clock->get_time(), 3.);
  EXPECT_LT(right_hand_side({clock}, 3.).max_difference(expected), 1e-13);

  const Setting<2, Advection<2>> advection(1);
  BoundaryConditions<2>          conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_prescribed(id, {clock});
  ConservationLawOperator<2, Advection<2>>                 op;
  ConservationLawOperator<2, Advection<2>>::AdditionalData data;
  data.fields = Expression(2, "1; 0", 2);
  op.reinit(advection.mapping, advection.dof_handler, {}, conditions, device(), data);
  auto         u    = zeros(op);
  const double area = 1.25;
  op.project({clock}, u);
  EXPECT_NEAR(op.integrals(u)[0], 3. * area, 1e-12);
  op.project({clock}, u, 5.);
  EXPECT_NEAR(op.integrals(u)[0], 5. * area, 1e-12);
  TimeClock time = op.make_clock();
  auto      r    = zeros(op);
  op.apply(time, u, r); // at time 0
  EXPECT_EQ(clock->get_time(), 3.);
}

TEST_P(UserFunctions, ThatAreNotFiniteAreReported)
{
  const Setting<2, Advection<2>> setting(1);
  const auto                     root = std::make_shared<ScalarList>("if(y > 0.7, sqrt(-x), 1)");
  BoundaryConditions<2>          conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_outflow(id);
  ConservationLawOperator<2, Advection<2>>                 op;
  ConservationLawOperator<2, Advection<2>>::AdditionalData data;
  data.fields = Expression(2, "1; 0", 2);
  op.reinit(setting.mapping, setting.dof_handler, {}, conditions, device(), data);
  auto u = zeros(op);
  EXPECT_MESSAGE(op.project({root}, u), "The projected function must be finite, but is ");
}

SALTUS_INSTANTIATE_ON_DEVICES(UserFunctions)
