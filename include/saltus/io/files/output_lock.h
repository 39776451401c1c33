// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_output_lock_h
#define saltus_io_files_output_lock_h

#include <deal.II/base/mpi.h>

#include <saltus/base/expressions/run_files.h>

#include <optional>
#include <string>

namespace Saltus
{
  /// Keeps other runs out of an output directory as long as it lives, by a lock of the kernel
  /// (`fcntl`) on the file `.lock` in it: a run that is killed leaves nothing behind that keeps a
  /// next one out. Where a file system knows no locks, a note on standard error is all that is
  /// done. As long as it lives, check_output() rejects files in the directory once that is renamed
  /// or removed.
  class OutputLock
  {
  public:
    /// Makes the directory unless it is there. The first rank holds the lock for all. Collective.
    /// @param directory the present one if empty
    /// @throws dealii::ExcMessage if nothing can be written there, and with the process that holds
    /// the lock if there is one
    explicit OutputLock(const std::string &directory, const MPI_Comm communicator = MPI_COMM_SELF);

    OutputLock(const OutputLock &) = delete;
    OutputLock &
    operator=(const OutputLock &) = delete;

    ~OutputLock();

  private:
    /// @return false if the file was removed, by the run that held it, before it could be locked
    bool
    try_lock(const std::string &directory);

    const std::string              file;
    int                            descriptor = -1;
    std::optional<OutputDirectory> written; ///< on the first rank
  };
} // namespace Saltus

#endif
