// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks.h>

#include <gtest/gtest.h>
#include <sched.h>

using namespace Saltus;

// The first rank is given all cores there are, the others share the first of these.
TEST(NodeRanks, ThreadsFollowTheCoresThatARankWasGiven)
{
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  const unsigned int rank = this_rank(MPI_COMM_WORLD);
  if (rank > 0)
    {
      cpu_set_t one;
      CPU_ZERO(&one);
      int core = 0;
      while (!CPU_ISSET(core, &all))
        ++core;
      CPU_SET(core, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    }
  const NodeRanks node(MPI_COMM_WORLD);
  EXPECT_EQ(node.n, n_ranks(MPI_COMM_WORLD));
  EXPECT_EQ(node.number, rank);
  EXPECT_EQ(node.n_threads, rank > 0 ? 1 : CPU_COUNT(&all));
}
