// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/io/files/files.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace Saltus
{
  void
  make_directory_of(const std::string &path)
  {
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    if (directory.empty())
      return;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    AssertThrow(!error,
                dealii::ExcMessage("The directory '" + directory.string() +
                                   "' cannot be made: " + error.message() + "."));
  }


  void
  with_write_errors(const std::string &path, const std::function<void()> &write)
  {
    // Streams keep no cause, but throw at the system call that fails, whose errno is still there.
    errno = 0;
    try
      {
        write();
      }
    catch (const std::ios_base::failure &)
      {
        const std::string cause = errno != 0 ? std::strerror(errno) : "unknown cause";
        AssertThrow(false,
                    dealii::ExcMessage("The file '" + path + "' cannot be written: " + cause +
                                       "."));
      }
  }


  void
  replace_file(const std::string &path, const std::function<void(std::ostream &)> &write)
  {
    make_directory_of(path);
    const std::string temporary = path + ".tmp";
    try
      {
        with_write_errors(path, [&]() {
          std::ofstream stream;
          stream.exceptions(std::ios::badbit | std::ios::failbit);
          stream.open(temporary, std::ios::binary);
          write(stream);
          stream.close();
        });
        std::error_code error;
        std::filesystem::rename(temporary, path, error);
        AssertThrow(!error,
                    dealii::ExcMessage("The file '" + path +
                                       "' cannot be written: " + error.message() + "."));
      }
    catch (...)
      {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw;
      }
  }


  std::string
  directory_of(const std::string &path)
  {
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    return directory.empty() ? "." : directory.string();
  }


  void
  sync_to_disk(const std::string &path)
  {
    const int  descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done       = descriptor >= 0 && fsync(descriptor) == 0;
    const int  cause      = errno;
    if (descriptor >= 0)
      close(descriptor);
    // There are file systems that cannot do it for directories.
    AssertThrow(done || cause == EINVAL,
                dealii::ExcMessage("The file '" + path + "' cannot be written to the disk: " +
                                   std::strerror(cause) + "."));
  }


  void
  keep_as(const std::string &path, const std::string &other)
  {
    if (!std::filesystem::exists(path))
      return;
    const std::string temporary = other + ".tmp";
    std::error_code   error;
    std::filesystem::remove(temporary, error);
    std::filesystem::create_hard_link(path, temporary, error);
    // Where a file cannot have two names, there is none under the path for a moment.
    std::filesystem::rename(error ? path : temporary, other, error);
    AssertThrow(!error,
                dealii::ExcMessage("The file '" + path + "' cannot be kept as '" + other +
                                   "': " + error.message() + "."));
  }


  std::string
  set_aside(const std::string &path)
  {
    const std::filesystem::path file(path);
    std::string                 place;
    for (unsigned int n = 1; place.empty() || std::filesystem::exists(place); ++n)
      place = (file.parent_path() / (n == 1 ? "set_aside" : "set_aside-" + std::to_string(n)) /
               file.filename())
                .string();
    make_directory_of(place);
    std::error_code error;
    std::filesystem::rename(path, place, error);
    AssertThrow(!error,
                dealii::ExcMessage("The file '" + path + "' cannot be moved to '" + place +
                                   "': " + error.message() + "."));
    return place;
  }


  std::string
  find_file(const std::string &name, const std::string &beside)
  {
    const std::filesystem::path path(name);
    if (path.is_absolute() || std::filesystem::exists(path))
      return name;
    const std::filesystem::path other = std::filesystem::path(beside).parent_path() / path;
    return std::filesystem::exists(other) ? other.string() : name;
  }
} // namespace Saltus
