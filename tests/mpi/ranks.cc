// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/busy_waiting.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
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

// Three GPUs that each rank sees, of which some cannot be used.
TEST(GpusOfNode, RanksTryTheirOwnAndAllOnlyIfOneIsNotUsable)
{
  const unsigned int n = n_ranks(MPI_COMM_WORLD), rank = this_rank(MPI_COMM_WORLD);
  using Gpus            = std::vector<int>;
  const auto shared_out = [&](const Gpus &broken, int &n_tried) {
    n_tried = 0;
    return gpus_of_node(
      rank,
      3,
      [&](const int gpu) {
        ++n_tried;
        return std::find(broken.begin(), broken.end(), gpu) == broken.end();
      },
      MPI_COMM_WORLD);
  };
  int n_tried;
  EXPECT_EQ(shared_out({}, n_tried), Gpus({0, 1, 2}));
  EXPECT_EQ(n_tried, 1);
  EXPECT_EQ(shared_out({0}, n_tried), Gpus({1, 2}));
  EXPECT_EQ(shared_out({2}, n_tried), n > 2 ? Gpus({0, 1}) : Gpus({0, 1, 2}));
  EXPECT_EQ(shared_out({0, 1, 2}, n_tried), Gpus());
}

TEST(GpusOfNode, NoneAreNone)
{
  const auto fail = [](const int) {
    ADD_FAILURE() << "There is no GPU to try.";
    return true;
  };
  EXPECT_EQ(gpus_of_node(this_rank(MPI_COMM_WORLD), 0, fail, MPI_COMM_WORLD), std::vector<int>());
}

// MPI reads the variable when it is initialised: here it only shows what was decided.
TEST(BusyWaiting, OnlyRanksThatOutnumberTheCoresGiveWay)
{
  const char *ranks = "OMPI_COMM_WORLD_LOCAL_SIZE", *yield = "OMPI_MCA_mpi_yield_when_idle";
  unsetenv(yield);
  setenv(ranks, "1", true);
  set_open_mpi_parameters();
  EXPECT_EQ(std::getenv(yield), nullptr);
  setenv(ranks, "1000000", true);
  set_open_mpi_parameters();
  EXPECT_STREQ(std::getenv(yield), "1");
  setenv(yield, "0", true); // by the user
  set_open_mpi_parameters();
  EXPECT_STREQ(std::getenv(yield), "0");
}

TEST(OpenMpi, ProcessesAloneNeedNoNetwork)
{
  const char       *size = "OMPI_COMM_WORLD_SIZE", *protocol = "OMPI_MCA_pml";
  const char *const value  = std::getenv(size);
  const std::string before = value == nullptr ? "" : value;
  setenv(size, "2", true);
  unsetenv(protocol);
  set_open_mpi_parameters();
  EXPECT_EQ(std::getenv(protocol), nullptr);
  unsetenv(size);
  unsetenv("PMIX_RANK");
  set_open_mpi_parameters();
  EXPECT_STREQ(std::getenv(protocol), "ob1");
  setenv(protocol, "cm", true); // by the user
  set_open_mpi_parameters();
  EXPECT_STREQ(std::getenv(protocol), "cm");
  if (!before.empty())
    setenv(size, before.c_str(), true);
}

// On one core they wait for the time slices of each other. (Where they are more than the cores from
// the start they give way, and wait for microseconds.)
TEST(BusyWaiting, SharedCoresAreNoted)
{
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  if (n_ranks(MPI_COMM_WORLD) != 2 || sched_setaffinity(0, sizeof(one), &one) != 0)
    GTEST_SKIP() << "For two ranks that can share the first core.";
  testing::internal::CaptureStderr();
  note_shared_cores(MPI_COMM_WORLD);
  const std::string note = testing::internal::GetCapturedStderr();
  sched_setaffinity(0, sizeof(all), &all);
  if (this_rank(MPI_COMM_WORLD) == 0)
    EXPECT_TRUE(Tests::contains(note, "fewer ranks may be faster"));
  else
    EXPECT_EQ(note, "");
}

// A rank has as many numbers as there are ranks before it.
TEST(Gather, ValuesOfAllRanksStandInARow)
{
  struct Pair
  {
    double       value;
    unsigned int rank;
  };
  const unsigned int n = n_ranks(MPI_COMM_WORLD), rank = this_rank(MPI_COMM_WORLD);
  const auto         check = [&](const OfRanks<Pair> &all) {
    for (unsigned int other = 0; other < n; ++other)
      {
        EXPECT_EQ(all.starts[other], other * (other - 1) / 2);
        for (std::size_t i = all.starts[other]; i < all.starts[other + 1]; ++i)
          {
            EXPECT_EQ(all.values[i].value, i - all.starts[other] + 0.5);
            EXPECT_EQ(all.values[i].rank, other);
          }
      }
  };
  std::vector<Pair> own;
  for (unsigned int i = 0; i < rank; ++i)
    own.push_back({i + 0.5, rank});
  check(all_gather(MPI_COMM_WORLD, own));
  const auto first = gather_on_first(MPI_COMM_WORLD, own);
  if (rank == 0)
    check(first);
  EXPECT_EQ(first.values.size(), rank == 0 ? n * (n - 1) / 2 : 0);
  EXPECT_EQ(first.starts.size(), n + 1);

  const std::vector<unsigned int> ranks = all_gather(MPI_COMM_WORLD, rank);
  const std::vector<std::string>  texts = all_gather(MPI_COMM_WORLD, std::string(rank, 'x'));
  for (unsigned int other = 0; other < n; ++other)
    {
      EXPECT_EQ(ranks[other], other);
      EXPECT_EQ(texts[other], std::string(other, 'x'));
    }
}
