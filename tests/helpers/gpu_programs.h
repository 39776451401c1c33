// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_gpu_programs_h
#define saltus_tests_helpers_gpu_programs_h

#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/nvrtc.h>

#include <gtest/gtest.h>
#include <string>

namespace Saltus::Tests
{
  /// Tests that compile GPU kernels for an architecture, the parameter, without a GPU.
  class GpuPrograms : public testing::TestWithParam<int>
  {
  protected:
    void
    SetUp() override
    {
      if (std::string reason; !Nvrtc::is_available(reason))
        GTEST_SKIP() << reason;
      KernelCompiler::assume(GpuLimits::of(GetParam()));
    }

    void
    TearDown() override
    {
      KernelCompiler::assume({});
    }
  };
} // namespace Saltus::Tests

#endif
