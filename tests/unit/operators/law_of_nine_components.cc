// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A law of more components than any that comes with Saltus, as a user adds one: on the CPU.
#include <saltus/operators/conservation_law/conservation_law_operator.templates.h>

#include <helpers/assembly.h>
#include <helpers/message_of.h>
#include <laws/nine_advections.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  BoundaryConditions<dim>
  prescribed_conditions()
  {
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_prescribed(id, constant_data<dim, NineAdvections<dim>>());
    return conditions;
  }

  template <int dim>
  void
  compare(const unsigned int degree)
  {
    const Setting<dim, NineAdvections<dim>> setting(degree);
    const auto                              u          = setting.random_state(0.5);
    const auto                              conditions = prescribed_conditions<dim>();
    const auto                              expected =
      Assembly<dim, NineAdvections<dim>>(setting.mapping, setting.dof_handler, setting.law)
        .residual(u, conditions);
    const auto found =
      residual<dim, NineAdvections<dim>, double>(setting, conditions, u, Device::cpu());
    EXPECT_LT(relative_difference(found, expected), 1e-11) << "degree " << degree;
  }
} // namespace

TEST(LawOfNineComponents, ResidualEqualsAssembly)
{
  compare<2>(2);
  compare<3>(1);
}

TEST(LawOfNineComponents, FailureNamesAllComponents)
{
  const Setting<2, NineAdvections<2>>           setting(1);
  ConservationLawOperator<2, NineAdvections<2>> op;
  op.reinit(
    setting.mapping, setting.dof_handler, setting.law, prescribed_conditions<2>(), Device::cpu());
  auto u = zeros(op), r = u;
  auto u_host = setting.random_state(0.);
  for (unsigned int i = 0; i < u_host.size(); ++i)
    if (setting.dof_handler.get_fe().system_to_component_index(i % 27).first == 8)
      u_host(i) = std::numeric_limits<double>::quiet_NaN();
  op.copy_from(u, u_host);
  TimeClock clock = op.make_clock();
  op.apply(clock, u, r);
  const std::string message = message_of([&]() { op.check_states(clock); });
  EXPECT_TRUE(contains(message, "a = 1.1 "));
  EXPECT_TRUE(contains(message, "h = 0 "));
  EXPECT_TRUE(contains(message, "i = nan"));
}
