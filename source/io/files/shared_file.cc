// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/mpi_large_count.h>

#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/files.h>
#include <saltus/io/files/shared_file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace Saltus
{
  using dealii::ExcMessage;

  SharedFile::SharedFile(const std::string &path,
                         const std::string &temporary,
                         const MPI_Comm     communicator)
    : path(path)
    , temporary(temporary)
    , communicator(communicator)
  {
    // Opened together, MPI would say on each rank in its own words why it fails.
    on_first_rank(communicator, [&]() {
      with_write_errors(path, [&]() {
        stream.exceptions(std::ios::badbit | std::ios::failbit);
        stream.open(temporary, std::ios::binary);
      });
    });
    if (n_ranks(communicator) == 1)
      return;
    stream.close();
    file = MPI_FILE_NULL;
    check([&]() {
      return MPI_File_open(communicator, temporary.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    });
    // Nodes may give a device different numbers, but not a file on it.
    struct stat status = {};
    stat(temporary.c_str(), &status);
    const auto files = all_gather(communicator, static_cast<std::uint64_t>(status.st_ino));
    if (std::count(files.begin(), files.end(), files[0]) == n_ranks(communicator))
      return;
    MPI_File_close(&file);
    AssertThrow(false,
                ExcMessage("The file '" + path +
                           "' cannot be written: ranks see different files "
                           "there. Output/Directory must be a directory that all of them share."));
  }


  void
  SharedFile::append(const std::vector<std::string_view> &parts)
  {
    if (n_ranks(communicator) == 1)
      return with_write_errors(path, [&]() {
        for (const std::string_view part : parts)
          stream.write(part.data(), static_cast<std::streamsize>(part.size()));
      });
    std::uint64_t n = 0;
    for (const std::string_view part : parts)
      n += part.size();
    namespace MPI    = dealii::Utilities::MPI;
    const auto sizes = all_gather(communicator, n);
    const auto own   = sizes.begin() + this_rank(communicator);
    auto       place = std::accumulate(sizes.begin(), own, size);
    size             = std::accumulate(own, sizes.end(), place);
    // Not together, which has no use for parts that are contiguous: Open MPI's ranks would wait for
    // one that cannot write.
    const auto write = [&](const std::string_view part) {
      MPI_Status status;
      const int  error = MPI::LargeCount::File_write_at_c(
        file, place, part.data(), static_cast<MPI_Count>(part.size()), MPI_BYTE, &status);
      // Open MPI does not call it an error if the disk is full. A further attempt sets errno.
      MPI_Count n_written = 0;
      MPI_Get_elements_x(&status, MPI_BYTE, &n_written);
      if (error != MPI_SUCCESS || static_cast<std::size_t>(n_written) == part.size())
        return error;
      const int descriptor = open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
      if (pwrite(descriptor, part.data() + n_written, 1, static_cast<off_t>(place) + n_written) ==
          1)
        errno = 0;
      const int cause = errno;
      ::close(descriptor);
      errno = cause;
      return MPI_ERR_IO;
    };
    check([&]() {
      for (const std::string_view part : parts)
        {
          if (const int error = write(part); error != MPI_SUCCESS)
            return error;
          place += part.size();
        }
      return MPI_SUCCESS;
    });
  }


  void
  SharedFile::sync()
  {
    if (n_ranks(communicator) > 1)
      return check([&]() { return MPI_File_sync(file); });
    with_write_errors(path, [&]() { stream.flush(); });
    sync_to_disk(temporary);
  }


  void
  SharedFile::close()
  {
    if (n_ranks(communicator) == 1)
      return with_write_errors(path, [&]() { stream.close(); });
    check([&]() { return MPI_File_close(&file); });
  }


  void
  SharedFile::check(const std::function<int()> &call)
  {
    errno              = 0;
    const int   status = call();
    std::string cause;
    if (status != MPI_SUCCESS && errno != 0) // which says more than MPI does
      cause = std::strerror(errno);
    else if (status != MPI_SUCCESS)
      {
        char text[MPI_MAX_ERROR_STRING];
        int  length = 0;
        MPI_Error_string(status, text, &length);
        cause.assign(text, length);
      }
    cause = first_of_ranks(communicator, cause);
    if (!cause.empty() && file != MPI_FILE_NULL)
      MPI_File_close(&file);
    AssertThrow(cause.empty(),
                ExcMessage("The file '" + path + "' cannot be written: " + cause + "."));
  }


  void
  replace_shared_file(const std::string                       &path,
                      const MPI_Comm                           communicator,
                      const std::function<void(SharedFile &)> &write)
  {
    std::optional<ReplacementFile> temporary; // of the first rank
    on_first_rank(communicator, [&]() {
      make_directory_of(path);
      temporary.emplace(path);
    });
    SharedFile file(path,
                    first_of_ranks(communicator, temporary ? temporary->name : ""),
                    communicator);
    write(file);
    file.close();
    on_first_rank(communicator, [&]() { temporary->replace(); });
  }
} // namespace Saltus
