// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What is shown of a flow, from a velocity, a pressure and the derivatives of the velocity.
#include <saltus/io/flow_output.h>

#include <gtest/gtest.h>
#include <vector>

using namespace Saltus;

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
} // namespace

TEST(FlowOutput, InTwoDimensions)
{
  const Quantities quantities = flow_quantities<2>(0.5);
  // u, v, p; u_x, u_y, v_x, v_y
  const std::vector<double> fields    = {1., 2., 3., 4., 5., 7., 11.};
  const double              vorticity = 7. - 5., Q = 0.5 * (15. * 15. - 16. - 121. - 2. * 35.);
  EXPECT_EQ(values(quantities, fields), (std::vector<double>{1., 2., 3., vorticity, Q}));
  EXPECT_EQ(
    quantities.identifiers(),
    (std::vector<std::string>{"velocity_x", "velocity_y", "pressure", "vorticity", "Q_criterion"}));
  std::vector<double> stress(4);
  quantities.viscous_stress(fields.data(), stress.data());
  EXPECT_EQ(stress, (std::vector<double>{4., 6., 6., 11.}));
}

/// A rotation with the angular velocity (1, 2, 3): the vorticity is twice that, and Q its square.
TEST(FlowOutput, RotationInThreeDimensions)
{
  const Quantities          quantities = flow_quantities<3>(0.5);
  const std::vector<double> fields     = {0., 0., 0., 9., 0., -3., 2., 3., 0., -1., -2., 1., 0.};
  EXPECT_EQ(values(quantities, fields), (std::vector<double>{0., 0., 0., 9., 2., 4., 6., 14.}));
  std::vector<double> stress(9);
  quantities.viscous_stress(fields.data(), stress.data());
  EXPECT_EQ(stress, std::vector<double>(9, 0.));
}
