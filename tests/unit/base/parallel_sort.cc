// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/parallel_sort.h>

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace Saltus;

TEST(ParallelSort, SortsAnyNumberOfValues)
{
  std::mt19937 random(1);
  for (const unsigned int n : {0, 1, 2, 63, 64, 65, 1000, 100000})
    {
      std::vector<unsigned int> sorted(n);
      std::iota(sorted.begin(), sorted.end(), 0);
      std::vector<unsigned int> values = sorted;
      std::shuffle(values.begin(), values.end(), random);
      parallel_sort(values);
      EXPECT_EQ(values, sorted) << n << " values";
    }
}
