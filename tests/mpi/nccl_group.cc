// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// What one rank cannot do when a group by NCCL is made, none does, and none waits for it for ever.
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/base/ranks/find_gpu_group.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/nccl_group.h>

#include <cstdlib>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <nccl/stand_in.h>
#include <string>
#include <unistd.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  const char *const variable = "SALTUS_GPU_MESSAGES";

  class NcclGroup : public ::testing::Test
  {
  protected:
    void
    SetUp() override
    {
      alarm(60); // a rank that waits for one that has given up ends the test
    }

    void
    TearDown() override
    {
      alarm(0);
      NcclStandIn::naming_fails = NcclStandIn::joining_fails = false;
      unsetenv(variable);
    }

    /// That all ranks say the same, and that it has @p part in it.
    void
    expect_message(const std::string &message, const std::string &part)
    {
      for (const std::string &of_rank : all_gather(MPI_COMM_WORLD, message))
        EXPECT_EQ(of_rank, message);
      EXPECT_TRUE(contains(message, part));
    }

    const int         n = n_ranks(MPI_COMM_WORLD), rank = this_rank(MPI_COMM_WORLD);
    const Device      device = device_of_rank("auto", MPI_COMM_WORLD);
    const std::string failed = NcclStandIn::message;
  };
} // namespace

TEST_F(NcclGroup, AGroupWithoutANameIsNoneOnAllRanks)
{
  NcclStandIn::naming_fails = true;
  expect_message(message_of([]() { nccl_group(MPI_COMM_WORLD); }),
                 "NCCL: naming a group: " + failed);
}

TEST_F(NcclGroup, WhatOneRankCannotJoinIsNoneOnAllRanks)
{
  for (int unable = 0; unable < n; ++unable)
    {
      SCOPED_TRACE("rank " + std::to_string(unable) + " cannot join");
      NcclStandIn::joining_fails = rank == unable;
      const std::string message  = message_of([]() { nccl_group(MPI_COMM_WORLD); });
      // Without a GPU no rank has a group in the end, and the first one says why.
      expect_message(message,
                     device.is_cuda() || unable == 0 ? "NCCL: joining a group: " + failed
                                                     : "CUDA: ");
    }
}

// Where there is no GPU, all can join, but not make a stream for messages.
TEST_F(NcclGroup, WhatAllJoinIsAGroup)
{
  std::shared_ptr<GpuGroup> group;
  const std::string         message = message_of([&]() { group = nccl_group(MPI_COMM_WORLD); });
  if (device.is_cuda())
    EXPECT_NE(group, nullptr) << message;
  else
    expect_message(message, "CUDA: ");
}

// Ranks may share a GPU here: the stand-in does not mind.
TEST_F(NcclGroup, AFailureIsNotRememberedAndAGroupIs)
{
  if (dealii::Utilities::MPI::min(device.is_cuda() ? 1 : 0, MPI_COMM_WORLD) == 0)
    GTEST_SKIP() << "There is a rank without a GPU.";
  setenv(variable, "nccl", 1);
  std::shared_ptr<GpuGroup> group;
  const auto                find = [&]() { group = find_gpu_group(MPI_COMM_WORLD, device); };

  NcclStandIn::joining_fails = rank == n - 1;
  for (int i = 0; i < 2; ++i)
    expect_message(message_of(find), "SALTUS_GPU_MESSAGES asks for 'nccl', but: NCCL: joining");
  NcclStandIn::joining_fails = false;
  EXPECT_EQ(message_of(find), "");
  ASSERT_NE(group, nullptr);
  const auto first     = group;
  const int  n_namings = NcclStandIn::n_namings;
  EXPECT_EQ(message_of(find), "");
  EXPECT_EQ(group, first);
  EXPECT_EQ(NcclStandIn::n_namings, n_namings);
}
