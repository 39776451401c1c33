// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time steps of incompressible flow: the weights of their multistep methods, and their lengths.
#include <saltus/solvers/flow/flow_step_size.h>
#include <saltus/solvers/flow/multistep.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace Saltus;

namespace
{
  /// Of steps of different lengths, the newest time first; as many as an order has.
  std::vector<double>
  unequal_times(const unsigned int n)
  {
    const std::vector<double> times = {0.7, 0.6, 0.35, 0.3};
    return {times.begin(), times.begin() + n};
  }

  /// Of t^k.
  double
  weighted(const std::vector<double> &weights, const std::vector<double> &times, const int k)
  {
    double sum = 0.;
    for (std::size_t i = 0; i < times.size(); ++i)
      sum += weights[i] * std::pow(times[i], k);
    return sum;
  }

  /// The steps from 0 to @p end, each of which is told the length @p last of the one before.
  std::vector<double>
  steps(const FlowStepSize &step_size, const double end, double last = 0., long long n = 0)
  {
    std::vector<double> result;
    for (double time = 0.; end - time > 1e-12 * end && result.size() < 1000; ++n)
      {
        last = step_size.next(n, last, 0., end - time);
        time += last;
        result.push_back(last);
      }
    return result;
  }

  void
  expect_steps(const std::vector<double> &computed, const std::vector<double> &expected)
  {
    ASSERT_EQ(computed.size(), expected.size());
    for (std::size_t i = 0; i < computed.size(); ++i)
      EXPECT_NEAR(computed[i], expected[i], 1e-12) << "step " << i;
  }
} // namespace

TEST(Multistep, DerivativesOfPolynomials)
{
  for (unsigned int order = 1; order <= 3; ++order)
    {
      SCOPED_TRACE(order);
      const auto times   = unequal_times(order + 1);
      const auto weights = derivative_weights(times);
      ASSERT_EQ(weights.size(), times.size());
      const auto error = [&](const int k) {
        return weighted(weights, times, k) - (k == 0 ? 0. : k * std::pow(times[0], k - 1));
      };
      for (unsigned int k = 0; k <= order; ++k)
        EXPECT_NEAR(error(k), 0., 1e-12) << "t^" << k;
      EXPECT_GT(std::abs(error(order + 1)), 1e-3);
    }
}

TEST(Multistep, InterpolationOfPolynomials)
{
  for (unsigned int order = 1; order <= 3; ++order)
    for (const double time : {0.9, 0.65, 0.4}) // beyond them and between
      {
        SCOPED_TRACE(order);
        const auto times   = unequal_times(order);
        const auto weights = interpolation_weights(times, time);
        ASSERT_EQ(weights.size(), times.size());
        const auto error = [&](const int k) {
          return weighted(weights, times, k) - std::pow(time, k);
        };
        for (unsigned int k = 0; k < order; ++k)
          EXPECT_NEAR(error(k), 0., 1e-12) << "t^" << k;
        EXPECT_GT(std::abs(error(order)), 1e-4);
      }
}

TEST(FlowStepSize, StartSumsUpToWholeSteps)
{
  expect_steps(steps({1., 0., 1, true}, 2.), {1., 1.});
  expect_steps(steps({1., 0., 2, true}, 2.), {0.125, 0.125, 0.25, 0.5, 1.});
  std::vector<double> third = {1., 1., 1., 1., 2., 2., 4., 4., 8., 8., 16., 16., 32., 32., 64.};
  for (double &length : third)
    length /= 64.;
  expect_steps(steps({1., 0., 3, true}, 3.), third);
}

TEST(FlowStepSize, EqualParts)
{
  const FlowStepSize fixed{0.3, 0., 2, false};
  expect_steps(steps(fixed, 1.), {0.25, 0.25, 0.25, 0.25});
  expect_steps(steps(fixed, 0.9), {0.3, 0.3, 0.3});
  expect_steps(steps(fixed, 0.1), {0.1});
}

TEST(FlowStepSize, NothingTinyIsLeft)
{
  const FlowStepSize fixed{1., 0., 2, false};
  for (const double remainder : {-1e-9, 1e-9, 1e-5, 0.009})
    {
      const double part = (5. + remainder) / 5.;
      expect_steps(steps(fixed, 5. + remainder), {part, part, part, part, part});
    }
  expect_steps(steps(fixed, 1.009), {1.009});
  expect_steps(steps(fixed, 1.011), {0.5055, 0.5055});
}

TEST(FlowStepSize, GrowthIsBounded)
{
  constexpr double still = 1e-9; // convection does not limit the steps
  for (const double cfl : {0., 0.5})
    {
      const FlowStepSize step_size{1., cfl, 2, true};
      EXPECT_DOUBLE_EQ(step_size.next(100, 1e-7, still, 1.5), 1.5e-7);
      EXPECT_DOUBLE_EQ(step_size.next(100, 0.5, still, 75.), 0.75);
      EXPECT_DOUBLE_EQ(step_size.next(100, 0.8, still, 75.), 1.);
    }
  // While a flow starts its steps are doubled.
  EXPECT_DOUBLE_EQ((FlowStepSize{1., 0., 2, true}.next(3, 1e-7, still, 2.)), 2e-7);
}

TEST(FlowStepSize, ByCflNumber)
{
  const FlowStepSize step_size{1., 0.5, 2, false};
  EXPECT_DOUBLE_EQ(step_size.next(0, 0., 2., 100.), 0.25);
  EXPECT_DOUBLE_EQ(step_size.next(5, 0.25, 2., 100.), 0.25);
  EXPECT_DOUBLE_EQ(step_size.next(5, 0.25, 5., 100.), 0.1);
  EXPECT_DOUBLE_EQ(step_size.next(5, 0.25, 0.1, 7.5), 0.375);
  EXPECT_DOUBLE_EQ((FlowStepSize{1., 0.5, 2, true}.next(0, 0., 2., 100.)), 0.03125);
}
