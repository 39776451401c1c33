// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/reductions.h>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace Saltus;

namespace
{
  class Reductions : public testing::TestWithParam<const char *>
  {
  protected:
    void
    SetUp() override
    {
      std::string reason;
      if (std::string(GetParam()) == "cuda" && !CudaRuntime::usable(0, reason))
        GTEST_SKIP() << reason;
    }

    template <typename Number>
    static double
    difference(const std::vector<Number> &a, const std::vector<Number> &b)
    {
      const Device device = Device::from_name(GetParam());
      return max_difference(Memory<Number>(device, a), Memory<Number>(device, b));
    }

    /// The same for two long arrays that differ by @p value at @p position only.
    template <typename Number>
    static double
    difference_at(const std::size_t position, const Number value)
    {
      std::vector<Number> a(1000003), b(1000003);
      a[position] = value;
      return difference(a, b);
    }
  };
} // namespace


TEST_P(Reductions, MaxDifference)
{
  EXPECT_EQ(difference<double>({}, {}), 0.);
  EXPECT_EQ(difference<double>({1., 2., 3.}, {1., 2., 3.}), 0.);
  EXPECT_EQ(difference<double>({1., 2., 3.}, {1.5, -2., 4.}), 4.);
  EXPECT_EQ(difference<double>({1e-300}, {-1e-300}), 2e-300);
  EXPECT_EQ(difference<float>({1.F, 2.F}, {1.F, 2.25F}), 0.25);
  for (const std::size_t position : {0, 31, 4096, 1000002})
    {
      EXPECT_EQ(difference_at(position, -7.), 7.);
      EXPECT_EQ(difference_at(position, 3.F), 3.);
    }
}


TEST_P(Reductions, MaxDifferenceKeepsWhatIsNoNumber)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double     nan      = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(difference<double>({infinity, 1.}, {0., 0.}), infinity);
  EXPECT_TRUE(std::isnan(difference<double>({infinity, 1.}, {infinity, 0.})));
  EXPECT_TRUE(std::isnan(difference<double>({nan, 1.}, {0., 9.})));
  EXPECT_TRUE(std::isnan(difference<double>({infinity, nan}, {0., 0.})));
  EXPECT_TRUE(std::isnan(difference<double>({1., 1.}, {0., -nan})));
  for (const std::size_t position : {0, 31, 4096, 1000002})
    {
      EXPECT_TRUE(std::isnan(difference_at(position, nan)));
      EXPECT_TRUE(std::isnan(difference_at(position, static_cast<float>(nan))));
    }
}


INSTANTIATE_TEST_SUITE_P(Device, Reductions, testing::Values("cpu", "cuda"), [](const auto &info) {
  return std::string(info.param);
});
