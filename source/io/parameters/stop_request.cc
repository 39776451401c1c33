// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/stop_request.h>

#include <cstring>
#include <unistd.h>

namespace Saltus
{
  namespace
  {
    volatile std::sig_atomic_t caught   = 0; ///< the signal
    volatile std::sig_atomic_t is_quiet = 0; ///< on all ranks but the first

    using Handler = void (*)(int);

    /// What is ignored stays so: who started the program chose it, as `nohup` and shells do for
    /// what runs in the background.
    /// @return what was done before
    Handler
    set_unless_ignored(const int signal, const Handler handler)
    {
      const Handler previous = std::signal(signal, handler);
      if (previous == SIG_IGN)
        std::signal(signal, SIG_IGN);
      return previous;
    }

    extern "C" void
    note_signal(const int signal)
    {
      const char note[] = "\nThe run stops after this step; a second signal ends it at once.\n";
      caught            = signal;
      for (const int stop : StopRequest::signals)
        set_unless_ignored(stop, SIG_DFL);
      if (is_quiet == 0)
        (void)!write(STDERR_FILENO, note, sizeof(note) - 1);
    }
  } // namespace


  StopRequest::StopRequest(const double wall_time_limit, const MPI_Comm communicator)
    : start(Clock::now())
    , limit(wall_time_limit)
    , communicator(communicator)
  {
    caught   = 0;
    is_quiet = this_rank(communicator) > 0;
    for (std::size_t i = 0; i < signals.size(); ++i)
      previous[i] = set_unless_ignored(signals[i], note_signal);
  }


  StopRequest::~StopRequest()
  {
    for (std::size_t i = 0; i < signals.size(); ++i)
      std::signal(signals[i], previous[i]);
  }


  bool
  StopRequest::made() const
  {
    const bool is_over = std::chrono::duration<double>(Clock::now() - start).count() >= limit;
    cause              = caught != 0 ? static_cast<int>(caught) : (is_over ? SIGALRM : 0);
    if (n_ranks(communicator) > 1)
      cause = dealii::Utilities::MPI::max(cause, communicator);
    return cause != 0;
  }


  std::string
  StopRequest::reason() const
  {
    if (cause == SIGALRM)
      return "the wall time limit";
    return std::string("the signal SIG") + sigabbrev_np(cause);
  }
} // namespace Saltus
