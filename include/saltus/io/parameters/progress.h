// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_progress_h
#define saltus_io_parameters_progress_h

#include <deal.II/base/mpi.h>

#include <chrono>
#include <limits>
#include <string>

namespace Saltus
{
  /// A line on the standard output that shows how a time integration goes on: step, simulated time,
  /// step size, steps a second, estimated time left. On the terminal of the program one line is
  /// overwritten each second, elsewhere a new line appears every ten: also on a terminal that
  /// `mpirun` makes for rank 0, behind which a file may be. Only rank 0 prints.
  class Progress
  {
  public:
    /// The run ends at @p end_time or after step number @p last_step, whatever comes first; either
    /// may be infinite.
    /// @param is_shown false: only what finish() prints
    Progress(const long     first_step,
             const double   start_time,
             const double   end_time,
             const long     last_step    = std::numeric_limits<long>::max(),
             const bool     is_shown     = true,
             const MPI_Comm communicator = MPI_COMM_WORLD);

    /// Whether it is time for the next line: only then must the numbers be fetched from a device.
    bool
    due() const;

    /// @param remark what else there is to say, after a comma
    void
    print(const long         step,
          const double       time,
          const double       step_size,
          const std::string &remark = {});

    /// Print the last state, with the rate over the whole run, and end the line.
    void
    finish(const long step, const double time, const double step_size);

    /// The line without its line end. Times in seconds of the clock.
    /// @param elapsed since the beginning
    /// @param rate steps a second
    std::string
    line(const long   step,
         const double time,
         const double step_size,
         const double rate,
         const double elapsed) const;

  private:
    using Clock = std::chrono::steady_clock;

    const long   first_step;
    const double start_time;
    const double end_time;
    const long   last_step;
    const bool   active;
    const bool   is_shown;
    const bool   on_terminal;

    const Clock::time_point start;
    Clock::time_point       last_print;
    long                    last_printed_step;
  };
} // namespace Saltus

#endif
