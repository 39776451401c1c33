// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parameters/progress.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace Saltus
{
  namespace
  {
    /// Whether the standard output is the terminal from which the program was started.
    bool
    user_sees_output()
    {
      return tcgetpgrp(STDOUT_FILENO) >= 0; // an error for all else, other terminals included
    }


    double
    seconds(const std::chrono::steady_clock::duration duration)
    {
      return std::chrono::duration<double>(duration).count();
    }


    /// `1:02:03` or `2:03`, from seconds.
    std::string
    clock_text(const double duration)
    {
      const long total = std::lround(duration);
      char       text[32];
      if (total >= 3600)
        std::snprintf(
          text, sizeof(text), "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
      else
        std::snprintf(text, sizeof(text), "%ld:%02ld", total / 60, total % 60);
      return text;
    }


    std::string
    state_text(const long step, const double time, const double step_size, const double rate)
    {
      char text[160];
      std::snprintf(text,
                    sizeof(text),
                    "step %ld, t = %.6g, dt = %.3g, %.3g steps/s",
                    step,
                    time,
                    step_size,
                    rate);
      return text;
    }
  } // namespace


  Progress::Progress(const long     first_step,
                     const double   start_time,
                     const double   end_time,
                     const long     last_step,
                     const bool     is_shown,
                     const MPI_Comm communicator)
    : first_step(first_step)
    , start_time(start_time)
    , end_time(end_time)
    , last_step(last_step)
    , active(dealii::Utilities::MPI::this_mpi_process(communicator) == 0)
    , is_shown(is_shown)
    , on_terminal(is_shown && user_sees_output())
    , start(Clock::now())
    , last_print(start)
    , last_printed_step(first_step)
  {}


  bool
  Progress::due() const
  {
    return active && is_shown &&
           Clock::now() - last_print > std::chrono::seconds(on_terminal ? 1 : 10);
  }


  std::string
  Progress::line(const long   step,
                 const double time,
                 const double step_size,
                 const double rate,
                 const double elapsed) const
  {
    // The end is the nearer one of the two, each extrapolated from the whole run so far.
    double left = std::numeric_limits<double>::infinity();
    if (time > start_time)
      left = std::min(left, elapsed * (end_time - time) / (time - start_time));
    if (step > first_step && last_step < std::numeric_limits<long>::max())
      left = std::min(left, elapsed * (last_step - step) / static_cast<double>(step - first_step));

    // Beyond a year no estimate means anything.
    return state_text(step, time, step_size, rate) +
           (left < 3e7 ? ", " + clock_text(std::max(left, 0.)) + " left" : "");
  }


  void
  Progress::print(const long         step,
                  const double       time,
                  const double       step_size,
                  const std::string &remark)
  {
    if (!active || !is_shown)
      return;
    const auto   now  = Clock::now();
    const double rate = (step - last_printed_step) / std::max(seconds(now - last_print), 1e-9);
    const auto   text = line(step, time, step_size, rate, seconds(now - start)) +
                      (remark.empty() ? "" : ", ") + remark;
    if (on_terminal) // return to the line's start and clear it
      std::cout << "\r\033[K" << text << std::flush;
    else
      std::cout << text << std::endl;
    last_print        = now;
    last_printed_step = step;
  }


  void
  Progress::finish(const long step, const double time, const double step_size)
  {
    if (!active)
      return;
    const double elapsed = seconds(Clock::now() - start);
    const double rate    = (step - first_step) / std::max(elapsed, 1e-9);
    std::cout << (on_terminal ? "\r\033[K" : "") << state_text(step, time, step_size, rate)
              << ", took " << clock_text(elapsed) << std::endl;
  }
} // namespace Saltus
