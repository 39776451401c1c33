// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Rows of numbers, one a SIMD lane, to packs and back: for the widths of all instruction sets,
// which every compiler can form.
#include <saltus/base/algebra/lane_rows.h>

#include <gtest/gtest.h>
#include <vector>

using namespace Saltus;

namespace
{
  template <typename Number, int width, int n>
  void
  test()
  {
    SCOPED_TRACE(testing::Message() << width << " lanes, rows of " << n);
    constexpr int offset = 3, room = n + 7;
    const auto    number = [](const int lane, const int i) { return Number(100 * lane + i); };

    std::vector<Number> memory(width * room, Number(-1));
    const Number       *rows[width];
    for (int l = 0; l < width; ++l)
      {
        const int place = (5 * l + 1) % width; // in any order
        rows[l]         = memory.data() + place * room;
        for (int i = 0; i < n; ++i)
          memory[place * room + offset + i] = number(l, i);
      }

    Pack<Number, width> packs[n];
    LaneRows<Number, width, n>::load(rows, offset, packs);
    for (int l = 0; l < width; ++l)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(get_lane(packs[i], l), number(l, i));

    std::vector<Number> stored(width * n);
    LaneRows<Number, width, n>::store(packs, stored.data());
    for (int l = 0; l < width; ++l)
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(stored[l * n + i], number(l, i));
  }

  template <typename Number, int width>
  void
  test_sizes()
  {
    test<Number, width, 1>();
    test<Number, width, 2>();
    test<Number, width, 4>();
    test<Number, width, 8>();
  }
} // namespace

TEST(LaneRows, TurnsThem)
{
  test_sizes<double, 2>();
  test_sizes<double, 4>();
  test_sizes<double, 8>();
  test_sizes<float, 4>();
  test_sizes<float, 8>();
  test_sizes<float, 16>();
}
