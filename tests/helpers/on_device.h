// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_on_device_h
#define saltus_tests_helpers_on_device_h

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/ranks/device_of_rank.h>

#include <gtest/gtest.h>
#include <string>

/// Ends a test where there is no GPU.
#define SALTUS_SKIP_WITHOUT_GPU()                                      \
  do                                                                   \
    {                                                                  \
      if (std::string reason; !Saltus::CudaRuntime::usable(0, reason)) \
        GTEST_SKIP() << reason;                                        \
    }                                                                  \
  while (false)

namespace Saltus::Tests
{
  /// A test that runs on the devices `cpu` and `cuda`; the latter is skipped where there is none.
  class OnDevice : public testing::TestWithParam<std::string>
  {
  protected:
    void
    SetUp() override
    {
      if (GetParam() == "cuda")
        SALTUS_SKIP_WITHOUT_GPU();
    }

    /// On several ranks that of each.
    Device
    device() const
    {
      return device_of_rank(GetParam(), MPI_COMM_WORLD);
    }
  };
} // namespace Saltus::Tests

/// Makes the instances `Devices/SUITE.TEST/cpu` and `.../cuda` of all tests of a suite.
#define SALTUS_INSTANTIATE_ON_DEVICES(Suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::Values("cpu", "cuda"), [](const auto &info) { \
    return info.param;                                                                            \
  });

#endif
