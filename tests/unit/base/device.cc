// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Devices, their memory, recorded graphs, and several devices side by side.
#include <saltus/base/algebra/vector.h>
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/io/parameters/run_size.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <sstream>
#include <stdexcept>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class DeviceTest : public OnDevice
  {};

  class GpuTest : public testing::Test
  {
  protected:
    void
    SetUp() override
    {
      SALTUS_SKIP_WITHOUT_GPU();
    }

    Vector<double>
    ones(const int ordinal = 0) const
    {
      Vector<double> v(Device::cuda(ordinal), 100, 3, 1);
      v = 1.;
      return v;
    }

    /// The stream takes work, and a recording.
    static void
    expect_works(Vector<double> &v, CudaRuntime::Graph &graph)
    {
      const double before = v.l1_norm();
      graph.record([&]() { v *= 2.; });
      EXPECT_TRUE(graph.recorded());
      graph.launch();
      EXPECT_DOUBLE_EQ(v.l1_norm(), 2. * before);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(DeviceTest)

TEST_P(DeviceTest, NamesAreThoseThatAreTaken)
{
  EXPECT_EQ(Device::from_name(device().name()), device());
}

TEST_P(DeviceTest, TooMuchMemory)
{
  const std::size_t n    = std::size_t(1) << 40; // of 8 bytes
  const std::string text = message_of([&]() { const Memory<double> memory(device(), n); });
  EXPECT_TRUE(contains(text, "8192.00 GiB were asked for"));
  EXPECT_TRUE(contains(text, device().is_cuda() ? "CUDA device 0" : "the host"));
  EXPECT_TRUE(contains(text, "left"));
  // The device goes on.
  Vector<double> v(device(), 100, 3, 1);
  v = 2.;
  EXPECT_EQ(v.l1_norm(), 600.);
}

TEST(DeviceNames, ThatAreNotThere)
{
  EXPECT_MESSAGE(Device::from_name("cuda:4321"), "cannot be used");
  EXPECT_MESSAGE(Device::from_name("gpu"), "There is no device 'gpu'");
}

TEST(HostMemory, SystemSaysHowMuch)
{
  EXPECT_GT(available_host_memory(), std::size_t(1) << 20);
  EXPECT_LT(available_host_memory(), std::size_t(1) << 50);
}

TEST_F(GpuTest, RecordingThatThrows)
{
  Vector<double>     v = ones();
  CudaRuntime::Graph graph;
  EXPECT_THROW(graph.record([&]() {
    v *= 2.;
    throw std::domain_error("on purpose");
  }),
               std::domain_error);
  EXPECT_FALSE(graph.recorded());
  EXPECT_EQ(v.l1_norm(), 300.);
  expect_works(v, graph);
}

TEST_F(GpuTest, RecordingThatWaits)
{
  Vector<double>     v = ones();
  CudaRuntime::Graph graph;
  EXPECT_THROW(graph.record([&]() { v.l2_norm(); }), std::runtime_error);
  EXPECT_FALSE(graph.recorded());
  expect_works(v, graph);
}

TEST_F(GpuTest, RecordingThatAllocates)
{
  Vector<double>     v = ones();
  CudaRuntime::Graph graph;
  EXPECT_TRUE(contains(message_of([&]() { graph.record([&]() { const Vector<double> copy(v); }); }),
                       "memory cannot be allocated while a graph is recorded"));
  EXPECT_FALSE(graph.recorded());
  expect_works(v, graph);
}

TEST_F(GpuTest, RecordingThatReleases)
{
  Vector<double>     v = ones(), gone = ones();
  CudaRuntime::Graph graph;
  graph.record([&]() {
    v *= 2.;
    gone = Vector<double>();
    Vector<double>().swap(gone);
  });
  graph.launch();
  EXPECT_EQ(v.l1_norm(), 600.);
  expect_works(v, graph);
}

/// What is released is given to others only after the work that was launched before.
TEST_F(GpuTest, MemoryIsReusedInOrder)
{
  Vector<double> sum = ones();
  for (unsigned int i = 0; i < 1000; ++i)
    {
      const Vector<double> term = ones();
      sum += term;
    }
  EXPECT_EQ(sum.l1_norm(), 300. * 1001);
}

/// Also what was released, and the library keeps.
TEST_F(GpuTest, AvailableMemory)
{
  constexpr std::size_t bytes  = 1 << 28;
  const Device          device = Device::cuda();
  const std::size_t     before = available_memory(device);
  {
    const Memory<char> array(device, bytes);
    EXPECT_LE(available_memory(device), before - bytes / 2);
  }
  CudaRuntime::synchronize();
  EXPECT_GE(available_memory(device), before - bytes / 2);
}

TEST_P(DeviceTest, SizeOfARun)
{
  const RunSize     size(3, {{4}, "", 3, 4}, device(), MPI_COMM_SELF);
  const std::string text = size.text(1024);
  EXPECT_TRUE(contains(text, "1024 elements, 4096 degrees of freedom, at least "));
  EXPECT_EQ(bool(contains(text, "of GPU memory")), device().is_cuda()) << text;
  std::ostringstream stream;
  const RunSize      large(3, {{4}, "", 10000000, 4}, device(), MPI_COMM_SELF);
  EXPECT_MESSAGE(large.announce(stream, "Cycle 0", 1e6),
                 device().is_cuda() ? "the GPU has only " : "the host has only ");
}

TEST_F(GpuTest, TwoDevicesSideBySide)
{
  if (CudaRuntime::n_devices() < 2)
    GTEST_SKIP() << "there is one GPU";
  Vector<double>     v = ones(0), w = ones(1);
  CudaRuntime::Graph of_v, of_w;
  v.device().make_current();
  of_v.record([&]() { v *= 2.; });
  w.device().make_current();
  of_w.record([&]() { w *= 3.; });
  for (unsigned int i = 0; i < 5; ++i)
    {
      of_v.launch();
      of_w.launch();
      const Vector<double> copy_of_v(v), copy_of_w(w);
      v.add(1., copy_of_v);
      w.add(1., copy_of_w);
    }
  EXPECT_EQ(v.l1_norm(), 300. * std::pow(4., 5));
  EXPECT_EQ(w.l1_norm(), 300. * std::pow(6., 5));
  EXPECT_THROW(v += w, dealii::ExceptionBase);
}
