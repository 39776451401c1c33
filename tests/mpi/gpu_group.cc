// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/memory.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/base/ranks/find_gpu_group.h>
#include <saltus/base/ranks/ranks.h>

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <string>
#include <vector>

namespace
{
  using namespace Saltus;

  const char *const variable = "SALTUS_GPU_MESSAGES";

  /// Each way to send messages between GPUs; skipped where ranks have none, and where they share
  /// one, as NCCL takes no GPU twice.
  class GpuGroups : public ::testing::TestWithParam<const char *>
  {
  protected:
    void
    SetUp() override
    {
      const std::string kind = GetParam();
      if (n == 1 || CudaRuntime::n_devices() < (kind == "nccl" ? n : 1))
        GTEST_SKIP() << "There are too few ranks or GPUs.";
      setenv(variable, kind.c_str(), 1);
      group = find_gpu_group(MPI_COMM_WORLD, device);
      if (!group)
        GTEST_SKIP() << "There is a rank without a GPU.";
    }

    void
    TearDown() override
    {
      unsetenv(variable);
    }

    const int                 n      = n_ranks(MPI_COMM_WORLD);
    const int                 rank   = this_rank(MPI_COMM_WORLD);
    const Device              device = device_of_rank("auto", MPI_COMM_WORLD);
    std::shared_ptr<GpuGroup> group;
  };
} // namespace

// Everybody sends each other rank other numbers in every round: none is what came before.
TEST_P(GpuGroups, MessagesArriveOnceEachAndInTheirOrder)
{
  constexpr int n_rounds = 40;
  for (const int unit : {1, 2, 5001}) // how they are aligned
    {
      std::vector<GpuGroup::Part> parts;
      std::size_t                 n_numbers = 0; // in a round
      for (int other = 0; other < n; ++other)
        if (other != rank)
          {
            const int size = unit + (rank + other) % 3;
            parts.push_back({other, n_numbers * sizeof(float), size * sizeof(float)});
            n_numbers += size;
          }
      std::vector<float> own, others;
      for (int round = 0; round < n_rounds; ++round)
        for (const GpuGroup::Part &part : parts)
          for (unsigned int i = 0; i < part.size / sizeof(float); ++i)
            {
              own.push_back(20000.f * (round * n + rank) + i);
              others.push_back(20000.f * (round * n + part.rank) + i);
            }
      const Memory<float> to_send(device, own);
      Memory<float>       sent(device, n_numbers), received(device, n_numbers);
      Memory<float>       arrived(device, own.size());
      const auto          messages = group->messages(sent.data(), parts, received.data(), parts);
      const auto          send_all = [&]() {
        const std::size_t bytes = n_numbers * sizeof(float);
        for (int round = 0; round < n_rounds; ++round)
          {
            CudaRuntime::copy_on_device(sent.data(), to_send.data() + round * n_numbers, bytes);
            messages->start();
            messages->finish();
            CudaRuntime::copy_on_device(arrived.data() + round * n_numbers, received.data(), bytes);
          }
      };
      send_all();
      EXPECT_EQ(arrived.to_host(), others);

      CudaRuntime::Graph graph;
      graph.record(send_all);
      arrived.fill_zero();
      for (int i = 0; i < 3; ++i)
        graph.launch();
      EXPECT_EQ(arrived.to_host(), others);
    }
}

// One rank has no memory for what it is to receive: no other one waits for it.
TEST_P(GpuGroups, TooLargeMessagesFailOnAllRanks)
{
  if (GetParam() != std::string("peers"))
    GTEST_SKIP() << "These messages need no memory.";
  std::vector<GpuGroup::Part> from;
  if (rank == 0)
    from.push_back({1, 0, std::size_t(1) << 50});
  EXPECT_ANY_THROW(group->messages(nullptr, {}, nullptr, from));
}

TEST_P(GpuGroups, TheFirstRankGathersAndGivesBack)
{
  const std::vector<double>   own(1000 + rank, 1. + rank);
  Memory<double>              mine(device, own), all(device, rank == 0 ? n * 1100 : 0);
  std::vector<GpuGroup::Part> parts;
  for (int other = 1; rank == 0 && other < n; ++other)
    parts.push_back({other, other * 1100 * sizeof(double), (1000 + other) * sizeof(double)});
  if (rank > 0)
    parts.push_back({0, 0, own.size() * sizeof(double)});
  const std::vector<GpuGroup::Part> none;

  const auto gather  = rank == 0 ? group->messages(nullptr, none, all.data(), parts)
                                 : group->messages(mine.data(), parts, nullptr, none);
  const auto scatter = rank == 0 ? group->messages(all.data(), parts, nullptr, none)
                                 : group->messages(nullptr, none, mine.data(), parts);
  for (int i = 0; i < 10; ++i)
    {
      gather->start();
      gather->finish();
      if (rank > 0)
        mine.fill_zero();
      scatter->start();
      scatter->finish();
    }
  EXPECT_EQ(mine.to_host(), own);
}

TEST_P(GpuGroups, MaximumIsTheLargestOfAllRanks)
{
  const auto number = [](const int i, const int rank) { return (i * 7LL + rank * 13LL) % 29 - 20; };
  std::vector<long long> own, largest;
  for (int i = 0; i < 100; ++i)
    {
      own.push_back(number(i, rank));
      largest.push_back(number(i, 0));
      for (int other = 1; other < n; ++other)
        largest.back() = std::max(largest.back(), number(i, other));
    }
  Memory<long long> numbers(device, own);
  for (int i = 0; i < 100; ++i)
    group->maximum(numbers.data() + i);
  EXPECT_EQ(numbers.to_host(), largest);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GpuGroups, ::testing::Values("peers", "nccl"));

TEST(GpuGroup, AnUnknownKindIsRefused)
{
  setenv(variable, "pigeons", 1);
  const std::string message =
    Tests::message_of([]() { find_gpu_group(MPI_COMM_WORLD, Device::cpu()); });
  unsetenv(variable);
  EXPECT_TRUE(Tests::contains(message, "SALTUS_GPU_MESSAGES is 'pigeons', but must be 'peers'"));
}
