// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Each header of device code, and each program of a service of the library, is compiled by itself.
#include "../../../source/base/device/device_headers.h"

#include <saltus/base/algebra/entry_work.h>
#include <saltus/base/algebra/radix_pass.h>
#include <saltus/base/algebra/reduction.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/base/ranks/peer_memory.h>
#include <saltus/operators/spaces/ghost_arrays.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace Saltus;

namespace
{
  class DeviceCode : public testing::Test
  {
  protected:
    void
    SetUp() override
    {
      if (std::string reason; !Nvrtc::is_available(reason))
        GTEST_SKIP() << reason;
    }

    void
    add(const KernelSource &source)
    {
      binaries.push_back(KernelCompiler::compile(source, GpuLimits::of(90)));
    }

    template <typename... Arguments>
    void
    add_program(const std::string &name)
    {
      add({"Saltus::CudaKernels::" + name, {KernelSource::Argument::of<Arguments>()...}});
    }

    template <typename Operation, typename Terms, typename Number>
    void
    add_reduction()
    {
      using Results = ReductionResults<Number>;
      add({instance_name("ReduceProgram",
                         {type_name<Number>(), type_name<Operation>(), type_name<Terms>()}),
           {KernelSource::Argument::of<std::size_t>(),
            KernelSource::Argument::of<Operation>(),
            KernelSource::Argument::of<Terms>(),
            KernelSource::Argument::of<Results>()}});
    }

    void
    expect_all()
    {
      for (const KernelCompiler::Binary &binary : binaries)
        EXPECT_EQ(Tests::message_of([&]() { KernelCompiler::wait(binary); }), "");
    }

    std::vector<KernelCompiler::Binary> binaries;
  };
} // namespace

TEST_F(DeviceCode, HeadersCompileAlone)
{
  for (const auto &[name, text] : device_headers)
    if (const std::string header = name; header.find(".cuh") != std::string::npos)
      add({"Nothing",
           {},
           {},
           "#include <" + header +
             ">\nstruct Nothing\n{ static constexpr Saltus::LaunchShape shape{32, 32}; "
             "static __device__ void run() {} };\n"});
  EXPECT_GT(binaries.size(), 40u);
  expect_all();
}

TEST_F(DeviceCode, ServicesCompile)
{
  using CudaRuntime::PeerMessage;
  using CudaRuntime::PeerNumber;
  add_reduction<Reduction::Add, Reduction::Dots<double>, double>();
  add_reduction<Reduction::Larger, Reduction::Difference<float>, float>();
  add(source_of_work<CombineEntries<double>>());
  add(source_of_work<ConvertEntries<float, double>>());
  add_program<int, const int *, std::size_t *>("BlockSumsProgram<int, unsigned long>");
  add_program<int, const int *, const int *, int *>("ScanProgram<int, int>");
  add_program<RadixPass>("CountDigitsProgram");
  add_program<RadixPass>("PlacePairsProgram");
  add_program<PeerMessage *>("SendProgram");
  add_program<PeerMessage *>("ReceiveProgram");
  add_program<long long *, PeerNumber *const *, int, int, unsigned *>("MaximumProgram");
  add_program<GhostArrays<double>>("SendGhostsProgram<double>");
  add_program<GhostArrays<float>>("ReceiveGhostsProgram<float>");
  expect_all();
}
