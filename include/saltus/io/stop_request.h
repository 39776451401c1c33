// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_stop_request_h
#define saltus_io_stop_request_h

#include <chrono>
#include <limits>
#include <string>

namespace Saltus
{
  /// Whether a run is to end after the step that it is at: because of a signal, SIGTERM or SIGINT,
  /// or because its time is over. While an object of this class lives, the first of these signals
  /// no longer ends the program; a second one does. There is one such object at a time.
  class StopRequest
  {
  public:
    /// @param wall_time_limit in seconds from now on
    explicit StopRequest(const double wall_time_limit = std::numeric_limits<double>::infinity());

    StopRequest(const StopRequest &) = delete;
    StopRequest &
    operator=(const StopRequest &) = delete;

    /// The signals do again what they did before.
    ~StopRequest();

    /// Cheap: may be asked after every step.
    bool
    made() const;

    /// `the signal SIGTERM` or `the wall time limit`.
    std::string
    reason() const;

  private:
    using Clock = std::chrono::steady_clock;

    const Clock::time_point start;
    const double            limit;
    void (*previous_interrupt)(int);
    void (*previous_terminate)(int);
  };
} // namespace Saltus

#endif
