// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Input that is wrong on one rank alone: all ranks throw the same message, and none waits for
// others.
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/physics/euler.h>

#include <helpers/elliptic_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_ranks.h>
#include <helpers/random_setting.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// 1 everywhere but near the origin.
  class Spot : public Function<2>
  {
  public:
    explicit Spot(const double value)
      : there(value)
    {}

    double
    value(const Point<2> &x, const unsigned int) const override
    {
      return x.norm() < 0.3 ? there : 1.;
    }

  private:
    const double there;
  };

  FieldFunction<2>
  spot(const double value)
  {
    return {std::make_shared<Spot>(value), false, false};
  }

  /// Give one boundary face a boundary id of its own.
  template <typename AnySetting>
  void
  set_odd_id(AnySetting &setting)
  {
    for (const auto &cell : setting.triangulation.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          return cell->face(f)->set_boundary_id(77);
  }

  /// Expect that @p call(dof_handler) throws @p text on every rank, however the cells are spread.
  template <typename Call>
  void
  expect_on_all_ranks(const DoFHandler<2> &everywhere, const std::string &text, const Call &call)
  {
    for (const Spread spread : all_spreads)
      {
        SCOPED_TRACE(to_string(spread));
        const OnRanks<2> ranks(everywhere, spread);
        EXPECT_MESSAGE(call(ranks.dof_handler), text);
      }
  }

  const std::string no_condition = "Boundary id 77 has no boundary condition";
} // namespace

TEST(ErrorsOnOneRank, CoefficientOfTheLaplaceOperator)
{
  const EllipticSetting<2> setting(1);
  for (const double value : {-1., std::numeric_limits<double>::quiet_NaN()})
    expect_on_all_ranks(setting.dof_handler,
                        "The diffusion coefficient must be",
                        [&](const auto &dof_handler) {
                          LaplaceOperator<2>::AdditionalData data;
                          data.diffusion = {spot(value), Sampling::by_element};
                          LaplaceOperator<2>().reinit(setting.mapping,
                                                      dof_handler,
                                                      dirichlet_conditions<2>(),
                                                      Device::cpu(),
                                                      data);
                        });
}

TEST(ErrorsOnOneRank, ConditionsOfTheLaplaceOperator)
{
  EllipticSetting<2> setting(1);
  set_odd_id(setting);
  expect_on_all_ranks(setting.dof_handler, no_condition, [&](const auto &dof_handler) {
    LaplaceOperator<2>().reinit(setting.mapping,
                                dof_handler,
                                dirichlet_conditions<2>(),
                                Device::cpu());
  });
}

TEST(ErrorsOnOneRank, RightHandSideOfTheLaplaceOperator)
{
  const EllipticSetting<2> setting(1);
  const auto               nan = spot(std::numeric_limits<double>::quiet_NaN());
  for (const bool in_source : {true, false})
    {
      EllipticBoundaryConditions<2> conditions;
      for (unsigned int id = 0; id < 4; ++id)
        conditions.set_dirichlet(id, in_source ? spot(1.) : nan);
      expect_on_all_ranks(setting.dof_handler, "must be finite", [&](const auto &dof_handler) {
        LaplaceOperator<2> A;
        A.reinit(setting.mapping, dof_handler, conditions, Device::cpu());
        auto b = zeros(A);
        A.right_hand_side(b, in_source ? nan : spot(1.));
      });
    }
}

TEST(ErrorsOnOneRank, ConditionsOfAConservationLaw)
{
  Setting<2, Euler<2>> setting(1);
  set_odd_id(setting);
  auto       conditions = all_conditions<2, Euler<2>>();
  const auto reinit     = [&](const auto &dof_handler) {
    ConservationLawOperator<2, Euler<2>, double> op;
    op.reinit(setting.mapping, dof_handler, Euler<2>(), conditions, Device::cpu(), {});
  };
  expect_on_all_ranks(setting.dof_handler, no_condition, reinit);
  conditions.set_wall(77, true);
  expect_on_all_ranks(setting.dof_handler, "Boundary id 77 is a curved wall", reinit);
}

TEST(ErrorsOnOneRank, ConditionsOfFlows)
{
  EllipticSetting<2> setting(1);
  set_odd_id(setting);
  FlowBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_no_slip(id);
  const auto flow = [&](const auto &dof_handler) {
    FlowOperators<2, double>().reinit(make_mesh(setting.mapping, dof_handler.get_triangulation()),
                                      1,
                                      conditions,
                                      Device::cpu(),
                                      {});
  };
  expect_on_all_ranks(setting.dof_handler, no_condition, flow);
  conditions.set_velocity(77, spot(1.));
  expect_on_all_ranks(setting.dof_handler, "Boundary id 77: the data has 1 components", flow);
}
