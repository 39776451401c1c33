// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_background_work_h
#define saltus_io_files_background_work_h

#include <deal.II/base/mpi.h>

#include <atomic>
#include <functional>
#include <future>

namespace Saltus
{
  /// One piece of work on a file at a time, while the run goes on. A thread of its own does the
  /// first part. On one rank, this thread does the second part, too; on several ranks, finish()
  /// does, since only one thread at a time may call MPI.
  class BackgroundWork
  {
  public:
    explicit BackgroundWork(const MPI_Comm communicator);

    BackgroundWork(const BackgroundWork &) = delete;
    BackgroundWork &
    operator=(const BackgroundWork &) = delete;

    /// Waits for the thread. An error that nobody has asked for is lost.
    ~BackgroundWork();

    /// finish() the last work, then begin the next one. Collective.
    /// @param prepare calls no function of MPI
    /// @param write collective on several ranks
    void
    start(const std::function<void()> &prepare, const std::function<void()> &write);

    /// Wait until both parts are done. Collective.
    /// @throws what a part has thrown; on several ranks dealii::ExcMessage on all of them
    void
    finish();

    /// Whether finish() will throw. On several ranks, false: work fails there in finish() only.
    bool
    has_failed() const
    {
      return is_alone && failed;
    }

  private:
    const MPI_Comm        communicator;
    const bool            is_alone; ///< on one rank
    std::future<void>     in_background;
    std::function<void()> write;
    std::atomic<bool>     failed{false};
  };
} // namespace Saltus

#endif
