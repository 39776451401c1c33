// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_stop_request_h
#define saltus_io_parameters_stop_request_h

#include <deal.II/base/mpi.h>

#include <array>
#include <chrono>
#include <csignal>
#include <limits>
#include <string>

namespace Saltus
{
  /// Whether a run is to end after its present step, because of a signal of users or schedulers or
  /// because its time is over. While an object of this class lives, the first of
  /// these signals no longer ends the program; a second one does. Signals that were ignored before
  /// stay so. There is one such object at a time.
  class StopRequest
  {
  public:
    static constexpr std::array<int, 5> signals = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1};

    /// @param wall_time_limit in seconds from now on
    /// @param communicator ranks that stop together
    explicit StopRequest(const double   wall_time_limit = std::numeric_limits<double>::infinity(),
                         const MPI_Comm communicator    = MPI_COMM_SELF);

    StopRequest(const StopRequest &) = delete;
    StopRequest &
    operator=(const StopRequest &) = delete;

    /// The signals do again what they did before.
    ~StopRequest();

    /// Whether a rank was told to stop. Cheap: may be asked after every step. Collective.
    bool
    made() const;

    /// Once it is made: `the signal SIGTERM` or `the wall time limit`.
    std::string
    reason() const;

  private:
    using Clock = std::chrono::steady_clock;

    const Clock::time_point start;
    const double            limit;
    const MPI_Comm          communicator;
    mutable int             cause = 0; ///< see made(): the signal; SIGALRM: the time is over
    std::array<void (*)(int), signals.size()> previous;
  };
} // namespace Saltus

#endif
