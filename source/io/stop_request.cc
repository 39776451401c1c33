// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/stop_request.h>

#include <csignal>
#include <unistd.h>

namespace Saltus
{
  namespace
  {
    volatile std::sig_atomic_t caught = 0; ///< the signal

    extern "C" void
    note_signal(const int signal)
    {
      const char note[] = "\nThe run stops after this step; a second signal ends it at once.\n";
      caught            = signal;
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGTERM, SIG_DFL);
      (void)!write(STDERR_FILENO, note, sizeof(note) - 1);
    }
  } // namespace


  StopRequest::StopRequest(const double wall_time_limit)
    : start(Clock::now())
    , limit(wall_time_limit)
  {
    caught             = 0;
    previous_interrupt = std::signal(SIGINT, note_signal);
    previous_terminate = std::signal(SIGTERM, note_signal);
  }


  StopRequest::~StopRequest()
  {
    std::signal(SIGINT, previous_interrupt);
    std::signal(SIGTERM, previous_terminate);
  }


  bool
  StopRequest::made() const
  {
    return caught != 0 || std::chrono::duration<double>(Clock::now() - start).count() >= limit;
  }


  std::string
  StopRequest::reason() const
  {
    if (caught == 0)
      return "the wall time limit";
    return caught == SIGINT ? "the signal SIGINT" : "the signal SIGTERM";
  }
} // namespace Saltus
