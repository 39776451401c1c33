// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// CUDA errors that a program survives, and memory that others have to release.
#include <saltus/base/algebra/vector.h>
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/out_of_memory.h>
#include <saltus/base/ranks/peer_memory.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>
#include <stdexcept>
#include <vector>

using namespace Saltus;

namespace
{
  class GpuErrors : public testing::Test
  {
  protected:
    void
    SetUp() override
    {
      SALTUS_SKIP_WITHOUT_GPU();
      Device::cuda().make_current();
    }
  };
} // namespace

/// A kernel that is launched after a failed call is not blamed for it.
TEST_F(GpuErrors, AFailedCallIsForgotten)
{
  std::vector<char> memory(4096);
  Vector<double>    v(Device::cuda(), 100, 3, 1);
  CudaRuntime::pin(memory.data(), memory.size());
  EXPECT_THROW(CudaRuntime::pin(memory.data(), memory.size()), std::runtime_error);
  EXPECT_NO_THROW(v = 1.);
  CudaRuntime::unpin(memory.data());
  CudaRuntime::unpin(memory.data()); // fails without a word
  EXPECT_NO_THROW(v *= 2.);
  EXPECT_EQ(v.l1_norm(), 600.);
}

TEST_F(GpuErrors, MemoryIsTriedTwice)
{
  unsigned int n_calls    = 0;
  const auto   succeed_at = [&](const unsigned int n) {
    n_calls = 0;
    CudaRuntime::take_memory(1, [&]() { return ++n_calls == n; });
  };
  succeed_at(1);
  EXPECT_EQ(n_calls, 1u);
  succeed_at(2);
  EXPECT_EQ(n_calls, 2u);
  EXPECT_THROW(succeed_at(3), OutOfMemory);
}

TEST_F(GpuErrors, TooLargeMessages)
{
  EXPECT_THROW(CudaRuntime::PeerMemory(std::size_t(1) << 50), std::exception);
  const CudaRuntime::PeerMemory memory(100);
  EXPECT_NE(memory.data(), nullptr);
  Vector<double> v(Device::cuda(), 100, 3, 1);
  EXPECT_NO_THROW(v = 1.);
}
