// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_files_h
#define saltus_tests_helpers_files_h

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace Saltus::Tests
{
  /// The bytes of a file; empty if there is none.
  inline std::string
  contents(const std::string &file)
  {
    std::ifstream      stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  inline void
  write_text(const std::string &file, const std::string &text)
  {
    std::ofstream(file, std::ios::binary) << text;
  }

  /// A path that no other test has, nor another object of this one.
  inline std::string
  temporary_path()
  {
    static unsigned int n = 0;
    return std::filesystem::temp_directory_path() /
           ("saltus_test_" + std::to_string(getpid()) + '_' + std::to_string(n++));
  }

  /// A file that goes with the object.
  struct TemporaryFile
  {
    explicit TemporaryFile(const std::string &text = "", const std::string &ending = "")
      : path(temporary_path() + ending)
    {
      write_text(path, text);
    }

    TemporaryFile(const TemporaryFile &) = delete;

    ~TemporaryFile()
    {
      std::filesystem::remove(path);
    }

    const std::string path;
  };

  /// While it lives, files of this process may not grow beyond a size: a full disk.
  class FileSizeLimit
  {
  public:
    explicit FileSizeLimit(const rlim_t n_bytes)
      : action(std::signal(SIGXFSZ, SIG_IGN))
    {
      getrlimit(RLIMIT_FSIZE, &before);
      struct rlimit limit = before;
      limit.rlim_cur      = n_bytes;
      setrlimit(RLIMIT_FSIZE, &limit);
    }

    ~FileSizeLimit()
    {
      setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, action);
    }

  private:
    void (*const action)(int);
    struct rlimit before = {};
  };

  /// A directory that goes with the object.
  struct TemporaryDirectory
  {
    TemporaryDirectory()
    {
      std::filesystem::create_directory(path);
    }

    TemporaryDirectory(const TemporaryDirectory &) = delete;

    ~TemporaryDirectory()
    {
      std::filesystem::remove_all(path);
    }

    const std::string path = temporary_path();
  };
} // namespace Saltus::Tests

#endif
