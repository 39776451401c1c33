// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// How far unknowns are from being dependent, for matrices whose pivots are known.
#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/base/device/launch.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <limits>
#include <numeric>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Of a matrix of two elements, which are neighbours.
  /// @param first,second their diagonal blocks of 2 and 3 rows, `[column][row]`
  double
  smallest(const Device device, const std::vector<double> &first, const std::vector<double> &second)
  {
    const auto sparsity =
      std::make_shared<const BlockSparsity>(std::vector<unsigned int>{2, 3},
                                            std::vector<std::vector<unsigned int>>{{1}, {0}});
    BlockCSRMatrix<double> matrix(sparsity, device);
    std::vector<double>    values(sparsity->n_values(), 100.);
    for (const auto &[block, numbers] : {std::make_pair(1, &first), std::make_pair(3, &second)})
      std::copy(numbers->begin(), numbers->end(), values.begin() + sparsity->block_starts[block]);
    std::vector<std::size_t> places(values.size());
    std::iota(places.begin(), places.end(), 0);
    const Memory<std::size_t> all(device, places);
    const Memory<double>      from(device, values);
    launch(device, values.size(), SelectEntries<double>{all.data(), from.data(), matrix.values()});
    return smallest_pivot(matrix);
  }

  const std::vector<double> identity = {1., 0., 0., 0., 1., 0., 0., 0., 1.};

  class SmallestPivotTest : public OnDevice
  {};

  TEST_P(SmallestPivotTest, KnownPivots)
  {
    EXPECT_EQ(smallest(device(), {3., 0., 0., 7.}, identity), 1.);
    // 5/4 - 1, of a symmetric block, of one that is that in its symmetric part, and of a negative
    // one.
    EXPECT_NEAR(smallest(device(), {4., 2., 2., 1.25}, identity), 0.2, 1e-15);
    EXPECT_NEAR(smallest(device(), {4., 1., 3., 1.25}, identity), 0.2, 1e-15);
    EXPECT_NEAR(smallest(device(), {-4., -2., -2., -1.25}, identity), 0.2, 1e-15);
    EXPECT_NEAR(smallest(device(), {1., 1., 1., 1. + 1e-9}, identity), 1e-9, 1e-15);
    EXPECT_EQ(smallest(device(), {1., 1., 1., 1.}, identity), 0.);
    // 1, 3/4 and 2/3, whatever the units.
    for (const double a : {1., 1e-20})
      {
        const double b = 1. / a;
        EXPECT_NEAR(smallest(device(),
                             {1., 0., 0., 1.},
                             {a * a, a / 2, 0., a / 2, 1., b / 2, 0., b / 2, b * b}),
                    2. / 3.,
                    1e-15);
      }
  }

  TEST_P(SmallestPivotTest, NotFinite)
  {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const double number : {inf, -inf, inf - inf})
      EXPECT_TRUE(
        contains(message_of([&]() {
                   smallest(device(), {1., 0., 0., 1.}, {number, 0., 0., 0., 1., 0., 0., 0., 1.});
                 }),
                 "entries that are not finite"));
  }

  SALTUS_INSTANTIATE_ON_DEVICES(SmallestPivotTest)
} // namespace
