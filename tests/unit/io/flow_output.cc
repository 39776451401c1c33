// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What is shown of a flow, from a velocity, a pressure and the derivatives of the velocity; forces
// and fluxes at its boundary.
#include <saltus/io/flow/flow_output.h>
#include <saltus/io/flow/flow_scheme.h>
#include <saltus/io/results/boundary_forces.h>
#include <saltus/operators/flow/component_sums.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/function_moments.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <vector>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  std::vector<double>
  values(const Quantities &quantities, const std::vector<double> &fields)
  {
    EXPECT_EQ(fields.size(), quantities.n_components);
    std::vector<double> result(quantities.size());
    quantities.compute(fields.data(), result.data());
    return result;
  }

  /// An L2 projection.
  template <int dim>
  Saltus::Vector<double>
  projection(const ElementSpace<dim, double> &space, const std::string &function)
  {
    const FieldFunction<dim> field   = Expression(dim, function, space.n_components);
    Saltus::Vector<double>   moments = space.make_vector(), result = moments;
    FunctionMoments<dim, double>(space, field, "function").add(moments, 0.);
    ElementMass<dim, double>(space).inverse().vmult(result, moments);
    return result;
  }

  /// Flow between the sides y = 0 (id 2) and y = 1 (id 3) of a box, driven by the pressure, which
  /// the elements hold exactly.
  template <int dim>
  void
  check_flow_between_walls()
  {
    constexpr double       nu = 0.3;
    const FlowSetting<dim> setting(2, 3);
    const auto             mesh = setting.mesh();
    DoFHandler<dim>        of_fields(setting.triangulation);
    of_fields.distribute_dofs(
      FESystem<dim>(FE_SimplexDGModal<dim>(2), FlowFields<dim>::n_components));
    const ElementSpace<dim, double> velocity(mesh, setting.velocity, 4, 4, Device::cpu()),
      pressure(mesh, setting.pressure, 4, 4, Device::cpu());
    const FlowFields<dim> fields(mesh, of_fields, Device::cpu());
    auto                  u = fields.make_vector();
    fields.evaluate(u,
                    projection(velocity, dim == 2 ? "y*(1-y); 0" : "y*(1-y); 0; 0"),
                    projection(pressure, "3-0.6*x"));
    const SolutionVector        solution = solution_vector(of_fields, fields, u);
    FlowBoundaryConditions<dim> conditions;
    for (const unsigned int id : {0, 1})
      conditions.set_velocity(id, Expression(dim, dim == 2 ? "y*(1-y); 0" : "y*(1-y); 0; 0", dim));
    for (unsigned int id = 2; id < 2 * dim; ++id)
      conditions.set_no_slip(id);
    ViscousOperator<dim> viscous;
    viscous.reinit(mesh, 2, conditions, Device::cpu(), {});
    const SolutionSpace<dim> space(
      setting.mapping,
      of_fields,
      flow_quantities<dim>(),
      std::make_shared<FlowScheme<dim>>(
        std::vector<typename FlowScheme<dim>::Part>{{viscous.of_component(), u}}, conditions, nu));

    ReferenceState<dim> reference;
    reference.density           = 2.;
    reference.velocity          = 3.;
    reference.area              = 4.;
    reference.pressure          = 1.;
    reference.drag_direction[0] = reference.lift_direction[1] = 1.;
    reference.length                                          = 5.;
    reference.moment_point                                    = Point<dim>();
    const double              unit                            = 0.5 * 2. * 9. * 4.;
    const BoundaryForces<dim> forces(space, {2, 3}, reference, "ids");
    const auto                names = forces.columns();
    const std::vector<double> row   = forces.rows(0., solution).at(0);
    const auto                force = [&](const std::string &name) {
      const auto place = std::find(names.begin(), names.end(), name);
      EXPECT_NE(place, names.end()) << name;
      return row.at(place - names.begin());
    };
    // Each wall is drawn along by nu du/dy = nu, and pressed upon by p - 1, whose mean is 2 - nu.
    EXPECT_NEAR(force("force_x"), 2. * nu, 1e-12);
    EXPECT_NEAR(force("force_y"), 0., 1e-12);
    EXPECT_NEAR(force("force_x of 2"), nu, 1e-12);
    EXPECT_NEAR(force("force_y of 2"), nu - 2., 1e-12);
    EXPECT_NEAR(force("force_x of 3"), nu, 1e-12);
    EXPECT_NEAR(force("force_y of 3"), 2. - nu, 1e-12);
    EXPECT_NEAR(force("drag_coefficient"), 2. * nu / unit, 1e-12);
    EXPECT_NEAR(force("lift_coefficient of 3"), (2. - nu) / unit, 1e-12);
    EXPECT_NEAR(force("friction_drag_coefficient of 2"), nu / unit, 1e-12);
    EXPECT_NEAR(force("friction_lift_coefficient of 2"), 0., 1e-12);

    // The wall at y = 1 is pressed with p - 1 = 2 - 0.6 x.
    EXPECT_NEAR(force((dim == 2 ? "moment_coefficient of 3" : "moment_coefficient_z of 3")),
                (1. - 0.2 - nu) / (5. * unit),
                1e-12);

    const WallPressure<dim> wall(space, {2}, reference, "ids");
    const auto              of_wall = wall.columns();
    for (const auto &numbers : wall.rows(0., solution))
      {
        ASSERT_EQ(numbers.size(), of_wall.size());
        EXPECT_EQ(of_wall[numbers.size() - dim], "friction_coefficient_x");
        EXPECT_NEAR(numbers[numbers.size() - dim], nu / (0.5 * 2. * 9.), 1e-12);
        EXPECT_NEAR(numbers[numbers.size() - dim + 1], 0., 1e-12);
      }

    const BoundaryFluxes<dim> fluxes(space, {0, 1, 2}, "ids");
    const auto                flux = fluxes.rows(0., solution).at(0);
    EXPECT_NEAR(flux.at(0), -1. / 6., 1e-12);
    EXPECT_NEAR(flux.at(1), 1. / 6., 1e-12);
    EXPECT_NEAR(flux.at(2), 0., 1e-12);
  }

  /// Fluxes without the transposed gradient are what the operators' moments add up to, whatever the
  /// fields.
  template <int dim>
  void
  check_balance(const FlowBoundaryConditions<dim> &conditions)
  {
    constexpr unsigned int degree = 2;
    constexpr double       nu = 0.3, time = 0.4;
    const FlowSetting<dim> setting(degree, 2);
    const auto             mesh = setting.mesh();
    FlowOperators<dim>     operators;
    operators.reinit(mesh, setting.velocity, setting.pressure, conditions, Device::cpu(), {});
    ViscousOperator<dim> viscous;
    viscous.reinit(mesh, degree, conditions, Device::cpu(), {});
    const auto &velocity = operators.velocity_space(), &pressure = operators.pressure_space();
    const auto  u = copied(velocity, setting.random_velocity(1)),
               p  = copied(pressure, setting.random_pressure(2));
    const FlowFields<dim> flow_fields(mesh, degree, Device::cpu());
    auto                  fields = flow_fields.make_vector();
    flow_fields.evaluate(fields, u, p);

    const ComponentSums<dim> sums(velocity);
    FlowUpdate<double>       moments;
    moments.times_mass = true;
    auto of_pressure = velocity.make_vector(), friction = of_pressure, of_data = of_pressure;
    operators.gradient(of_pressure, p, time, moments);
    viscous.vmult(friction, u);
    of_data = 0.;
    viscous.add_boundary_data(of_data, time);
    Tensor<1, dim> balance =
      sums.sums(of_pressure) + nu * (sums.sums(friction) - sums.sums(of_data));

    const std::set<dealii::types::boundary_id> ids  = {0, 1, 2, 3, 4, 5};
    double                                     size = 0.;
    for (const auto &face : boundary_traces(viscous.of_component(), {1.}, fields, ids))
      for (const auto &point : face.points)
        for (unsigned int c = 0; c < dim; ++c)
          for (unsigned int d = 0; d < dim; ++d)
            balance[c] -= nu * point.weight * point.values[dim + 1 + d * dim + c] * point.normal[d];
    const FlowScheme<dim> scheme({{viscous.of_component(), fields}}, conditions, nu);
    for (const auto &face : scheme.fluxes(time, ids, false))
      for (const auto &point : face.second)
        {
          const Tensor<1, dim> force = point.pressure * point.normal + point.friction;
          balance -= point.weight * force;
          size += point.weight * force.norm();
        }
    EXPECT_GT(size, 1.);
    EXPECT_LT(balance.norm(), 1e-12 * size);
  }
} // namespace

TEST(FlowOutput, InTwoDimensions)
{
  const Quantities quantities = flow_quantities<2>();
  // u, v, p; u_x, u_y, v_x, v_y
  const std::vector<double> fields    = {1., 2., 3., 4., 5., 7., 11.};
  const double              vorticity = 7. - 5., Q = 0.5 * (15. * 15. - 16. - 121. - 2. * 35.);
  EXPECT_EQ(values(quantities, fields), (std::vector<double>{1., 2., 3., vorticity, Q}));
  EXPECT_EQ(
    quantities.identifiers(),
    (std::vector<std::string>{"velocity_x", "velocity_y", "pressure", "vorticity", "Q_criterion"}));
}

/// A rotation with the angular velocity (1, 2, 3): the vorticity is twice that, and Q its square.
TEST(FlowOutput, RotationInThreeDimensions)
{
  const Quantities          quantities = flow_quantities<3>();
  const std::vector<double> fields     = {0., 0., 0., 9., 0., -3., 2., 3., 0., -1., -2., 1., 0.};
  EXPECT_EQ(values(quantities, fields), (std::vector<double>{0., 0., 0., 9., 2., 4., 6., 14.}));
}

TEST(FlowOutput, ForcesAndFluxes)
{
  check_flow_between_walls<2>();
  check_flow_between_walls<3>();
}

TEST(FlowOutput, Balance)
{
  for (const auto &conditions : all_flow_conditions<2>())
    check_balance<2>(conditions);
  for (const auto &conditions : all_flow_conditions<3>())
    check_balance<3>(conditions);
}
