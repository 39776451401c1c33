// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_shared_file_h
#define saltus_io_files_shared_file_h

#include <deal.II/base/mpi.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace Saltus
{
  /// A file that the ranks of a communicator write together, by MPI's input and output; on one rank
  /// a stream. See replace_shared_file().
  class SharedFile
  {
  public:
    SharedFile(const SharedFile &) = delete;
    SharedFile &
    operator=(const SharedFile &) = delete;

    /// Append the bytes that the ranks give, those of the first one first. Collective.
    /// @throws dealii::ExcMessage on all ranks if they cannot be written on one
    void
    append(const std::string_view bytes)
    {
      append(std::vector<std::string_view>(1, bytes));
    }

    /// The same if a rank's bytes are in parts.
    void
    append(const std::vector<std::string_view> &parts);

    /// Wait until all that was appended is on the disk. Collective.
    /// @throws dealii::ExcMessage on all ranks if it cannot be written there
    void
    sync();

  private:
    friend void
    replace_shared_file(const std::string &,
                        const MPI_Comm,
                        const std::function<void(SharedFile &)> &);

    /// @param path for messages
    SharedFile(const std::string &path, const std::string &temporary, const MPI_Comm communicator);

    void
    close();

    /// @param call of MPI that returns its status
    /// @throws dealii::ExcMessage on all ranks, once the file is closed, if it fails on one
    void
    check(const std::function<int()> &call);

    const std::string path, temporary;
    const MPI_Comm    communicator;
    std::ofstream     stream; ///< on one rank,
    MPI_File          file;   ///< on several
    std::uint64_t     size = 0;
  };


  /// replace_file() for several ranks: @p write appends to a temporary file, which is renamed when
  /// it is complete. Collective.
  /// @throws dealii::ExcMessage on all ranks, with the path and the cause, if the file cannot be
  /// written; nothing is left of it then
  void
  replace_shared_file(const std::string                       &path,
                      const MPI_Comm                           communicator,
                      const std::function<void(SharedFile &)> &write);
} // namespace Saltus

#endif
