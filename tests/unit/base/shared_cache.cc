// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/shared_cache.h>

#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace Saltus;

namespace
{
  /// Counts those that were made; may hold another one of the same cache.
  struct Counted
  {
    explicit Counted(unsigned int &n_made)
    {
      ++n_made;
    }

    Counted(unsigned int &n_made, const SharedCache &cache)
      : inner(cache.get<Counted>(Device::cpu(), {0}, std::ref(n_made)))
    {
      ++n_made;
    }

    std::shared_ptr<const Counted> inner;
  };
} // namespace

TEST(SharedCache, OneForAllWhoAskAsLongAsSomebodyHoldsIt)
{
  const SharedCache cache;
  unsigned int      n_made = 0;
  const auto        get    = [&](const unsigned int number) {
    return cache.get<Counted>(Device::cpu(), {number, 7}, std::ref(n_made));
  };
  auto first = get(1), second = get(1);
  EXPECT_EQ(first, second);
  EXPECT_EQ(n_made, 1u);
  EXPECT_NE(get(2), first);
  EXPECT_EQ(n_made, 2u);
  first.reset();
  EXPECT_EQ(get(1), second);
  EXPECT_EQ(n_made, 2u);
  second.reset();
  EXPECT_NE(get(1), nullptr);
  EXPECT_EQ(n_made, 3u);
}

TEST(SharedCache, OneMayAskForAnother)
{
  const SharedCache cache;
  unsigned int      n_made = 0;
  const auto outer = cache.get<Counted>(Device::cpu(), {1}, std::ref(n_made), std::cref(cache));
  EXPECT_EQ(outer->inner, cache.get<Counted>(Device::cpu(), {0}, std::ref(n_made)));
  EXPECT_EQ(n_made, 2u);
}

TEST(SharedCache, ThreadsGetTheSame)
{
  const SharedCache                           cache;
  unsigned int                                n_made = 0;
  std::vector<std::shared_ptr<const Counted>> of_threads(8);
  std::vector<std::thread>                    threads;
  for (auto &of_thread : of_threads)
    threads.emplace_back(
      [&]() { of_thread = cache.get<Counted>(Device::cpu(), {}, std::ref(n_made)); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(n_made, 1u);
  for (const auto &of_thread : of_threads)
    EXPECT_EQ(of_thread, of_threads[0]);
}
