// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/io/files/files.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace Saltus
{
  void
  make_directory_of(const std::string &path)
  {
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    check_output(path);
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


  namespace
  {
    constexpr char random_part[] = ".XXXXXX", ending[] = ".tmp";
  }

  ReplacementFile::ReplacementFile(const std::string &path)
    : name(path + random_part + ending)
    , path(path)
  {
    check_output(path);
    const int descriptor = mkostemps(name.data(), std::strlen(ending), O_CLOEXEC);
    AssertThrow(descriptor >= 0,
                dealii::ExcMessage("The file '" + path +
                                   "' cannot be written: " + std::strerror(errno) + "."));
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask); // as other files, not for the owner alone
    close(descriptor);
  }


  ReplacementFile::~ReplacementFile()
  {
    std::error_code ignored;
    if (!name.empty())
      std::filesystem::remove(name, ignored);
  }


  void
  ReplacementFile::replace()
  {
    std::error_code error;
    std::filesystem::rename(name, path, error);
    AssertThrow(!error,
                dealii::ExcMessage("The file '" + path + "' cannot be written: " + error.message() +
                                   "."));
    name.clear();
  }


  void
  remove_temporary_files(const std::string &directory, const std::string &name)
  {
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(directory, ignored))
      {
        const std::filesystem::path file = entry.path();
        if (file.filename().string().compare(0, name.size(), name) == 0 &&
            file.extension() == ending &&
            file.stem().extension().string().size() == std::strlen(random_part))
          std::filesystem::remove(file, ignored);
      }
  }


  void
  replace_file(const std::string &path, const std::function<void(std::ostream &)> &write)
  {
    make_directory_of(path);
    ReplacementFile temporary(path);
    with_write_errors(path, [&]() {
      std::ofstream stream;
      stream.exceptions(std::ios::badbit | std::ios::failbit);
      stream.open(temporary.name, std::ios::binary);
      write(stream);
      stream.close();
    });
    temporary.replace();
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
    if (!std::filesystem::equivalent(path, other, error)) // as a run that was killed may leave them
      check_output(other);
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
