// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Sorting and prefix sums on a device against the standard library.
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/algebra/sort_pairs.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <random>

using namespace Saltus;

namespace
{
  class Order : public Saltus::Tests::OnDevice
  {};

  std::vector<std::size_t>
  sums_of(const std::vector<int> &counts)
  {
    std::vector<std::size_t> sums(1, 0);
    for (const int count : counts)
      sums.push_back(sums.back() + count);
    return sums;
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(Order)

TEST_P(Order, SortsPairsAndKeepsEqualKeysInOrder)
{
  std::mt19937_64 random(1);
  // Parts of thread blocks, one of them, and many
  for (const std::size_t n : {0, 1, 31, 2047, 2048, 2049, 300000})
    for (const int n_bits : {0, 3, 17, 64})
      {
        std::vector<std::pair<std::uint64_t, int>> pairs(n);
        std::vector<std::uint64_t>                 keys(n);
        std::vector<int>                           values(n);
        for (std::size_t i = 0; i < n; ++i)
          {
            keys[i]   = n_bits == 0 ? 0 : random() >> (64 - n_bits);
            values[i] = n - i;
            pairs[i]  = {keys[i], values[i]};
          }
        std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) {
          return a.first < b.first;
        });
        Memory<std::uint64_t> sorted_keys(device(), keys);
        Memory<int>           sorted_values(device(), values);
        sort_pairs(device(), n, sorted_keys.data(), sorted_values.data(), n_bits);
        keys           = sorted_keys.to_host();
        values         = sorted_values.to_host();
        bool are_equal = true;
        for (std::size_t i = 0; i < n; ++i)
          are_equal = are_equal && pairs[i] == std::make_pair(keys[i], values[i]);
        EXPECT_TRUE(are_equal) << n << " keys of " << n_bits << " bits";
      }
}

TEST_P(Order, AddsUp)
{
  std::mt19937 random(1);
  // The last number has more sums of blocks than a block adds up.
  for (const std::size_t n : {0, 1, 31, 2047, 2048, 2049, 5000000})
    {
      std::vector<int> counts(n);
      for (int &count : counts)
        count = random() % 1000;
      const Memory<int> there(device(), counts);
      EXPECT_TRUE(prefix_sums<std::size_t>(there).to_host() == sums_of(counts)) << n << " counts";
      for (int &count : counts)
        count %= 100;
      const Memory<int>              small(device(), counts);
      const std::vector<std::size_t> sums = sums_of(counts);
      EXPECT_TRUE(prefix_sums<int>(small).to_host() == std::vector<int>(sums.begin(), sums.end()))
        << n << " counts";
    }
}
