// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_stopwatch_h
#define saltus_base_device_stopwatch_h

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/device.h>

#include <chrono>

namespace Saltus
{
  /// Wall time of the sections of a program one after the other.
  class Stopwatch
  {
  public:
    using Clock = std::chrono::steady_clock;

    /// Starts the clock.
    /// @param begin of the first section
    explicit Stopwatch(const Device device, const Clock::time_point begin = Clock::now())
      : device(device)
      , begin(begin)
    {}

    /// Wait until the device has done what it was given, since it works asynchronously.
    /// @return seconds since the last call, or since the clock was started
    double
    lap()
    {
      device.make_current();
      if (device.is_cuda())
        CudaRuntime::synchronize();
      const Clock::time_point             now     = Clock::now();
      const std::chrono::duration<double> seconds = now - begin;
      begin                                       = now;
      return seconds.count();
    }

  private:
    const Device      device;
    Clock::time_point begin;
  };
} // namespace Saltus

#endif
