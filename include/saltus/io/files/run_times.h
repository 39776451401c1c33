// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_run_times_h
#define saltus_io_files_run_times_h

#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/stopwatch.h>
#include <saltus/io/files/time_table.h>

#include <string>

namespace Saltus
{
  /// Divides the wall time of a run into parts. Each part begins where the last one ended, so that
  /// the parts add up to the wall time.
  class RunTimes
  {
  public:
    /// @param begin of the first part
    RunTimes(const Device device, const Stopwatch::Clock::time_point begin)
      : watch(device, begin)
    {}

    void
    begin_cycle(const unsigned int number)
    {
      parts.begin_cycle(number);
      parts_of_adaptions.begin_cycle(number);
    }

    /// End a part, after the device has done its work. While the mesh is adapted, it is a part of
    /// `adaption`. The time that the run waited for GPU kernels to be compiled is a part of its
    /// own, and rank 0 prints a line about them.
    /// @return seconds since the last end
    double
    end(const std::string &part);

    /// Make @p seconds of the time since the last end a part of their own, if they are not 0.
    void
    take(const std::string &part, const double seconds)
    {
      if (seconds > 0.)
        parts.add(part, seconds);
      taken += seconds;
    }

    bool      is_adapting = false;
    TimeTable parts, parts_of_adaptions;

  private:
    Stopwatch              watch;
    KernelCompiler::Report compiled;   ///< at the last end
    double                 taken = 0.; ///< seconds since the last end, see take()
  };
} // namespace Saltus

#endif
