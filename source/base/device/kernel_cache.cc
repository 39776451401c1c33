// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/kernel_cache.h>
#include <saltus/base/device/kernel_source.h>
#include <saltus/base/device/say_once.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Saltus
{
  namespace
  {
    constexpr std::string_view magic = "Saltus kernel 1\n";

    std::string
    environment_text(const char *variable)
    {
      const char *const value = std::getenv(variable);
      return value == nullptr ? "" : value;
    }

    std::string
    folder_of_user()
    {
      if (const std::string folder = environment_text("SALTUS_CACHE"); !folder.empty())
        return folder;
      if (const std::string folder = environment_text("XDG_CACHE_HOME"); !folder.empty())
        return folder + "/saltus";
      if (const std::string folder = environment_text("HOME"); !folder.empty())
        return folder + "/.cache/saltus";
      return "";
    }

    /// `PREFIX/share/saltus/kernels` of a library in `PREFIX/lib`.
    std::string
    folder_of_installation()
    {
      Dl_info info;
      if (dladdr(reinterpret_cast<const void *>(&type_name<int>), &info) == 0)
        return "";
      const auto prefix = std::filesystem::absolute(info.dli_fname).parent_path().parent_path();
      return prefix / "share/saltus/kernels";
    }

    /// Whether only the user, or root, can have written a file or folder.
    bool
    is_safe(const struct stat &status)
    {
      return (status.st_uid == geteuid() || status.st_uid == 0) &&
             (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    }

    /// A file descriptor that closes itself.
    class File
    {
    public:
      File(const std::string &path, const int flags)
        : number(open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644))
      {}

      File(const File &) = delete;
      File &
      operator=(const File &) = delete;

      ~File()
      {
        if (number >= 0)
          close(number);
      }

      const int number;
    };

    std::string
    path_of(const std::string &folder, const std::string &key)
    {
      return folder + "/" + key + ".kernel";
    }

    /// The complete content of a file that only the user can have written.
    std::optional<std::string>
    read_file(const std::string &folder, const std::string &path)
    {
      struct stat status;
      if (folder.empty() || stat(folder.c_str(), &status) != 0 || !is_safe(status))
        return {};
      const File file(path, O_RDONLY);
      if (file.number < 0 || fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode) ||
          !is_safe(status))
        return {};
      std::string text(status.st_size, '\0');
      std::size_t done = 0;
      while (done < text.size())
        {
          const ssize_t n = ::read(file.number, &text[done], text.size() - done);
          if (n <= 0)
            return {};
          done += n;
        }
      return text;
    }
  } // namespace

  KernelCache::KernelCache(const std::string &subfolder)
  {
    const auto add = [&](const std::string &folder) {
      return folder.empty() || subfolder.empty() ? folder : folder + "/" + subfolder;
    };
    own       = add(folder_of_user());
    installed = add(folder_of_installation());
  }

  std::optional<std::vector<char>>
  KernelCache::read(const std::string &key) const
  {
    for (const std::string &folder : {installed, own})
      {
        const std::string path = path_of(folder, key);
        const auto        text = read_file(folder, path);
        if (!text)
          continue;
        const std::size_t begin = magic.size() + 2 * key.size() + 2;
        if (text->size() > begin)
          {
            const std::string binary = text->substr(begin);
            if (text->substr(0, begin) == std::string(magic) + key + "\n" + hash_of(binary) + "\n")
              return std::vector<char>(binary.begin(), binary.end());
          }
        say_once("The file " + path + " is damaged. Its kernel is compiled again.");
        unlink(path.c_str());
      }
    return {};
  }

  std::string
  KernelCache::write(const std::string &key, const std::vector<char> &binary) const
  {
    if (own.empty())
      return "neither SALTUS_CACHE nor HOME is set";
    std::error_code error;
    std::filesystem::create_directories(own, error);
    struct stat status;
    if (stat(own.c_str(), &status) != 0)
      return own + ": " + (error ? error.message() : std::strerror(errno));
    if (!is_safe(status))
      return own + " belongs to another user or is writable by others";
    const std::string path      = path_of(own, key);
    const std::string temporary = path + "." + std::to_string(getpid()) + ".part";
    const std::string content(binary.begin(), binary.end());
    const std::string text = std::string(magic) + key + "\n" + hash_of(content) + "\n" + content;
    bool              good = false;
    {
      const File  file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
      std::size_t done = 0;
      good             = file.number >= 0;
      while (good && done < text.size())
        {
          const ssize_t n = ::write(file.number, &text[done], text.size() - done);
          good            = n > 0;
          done += n;
        }
      good = good && fsync(file.number) == 0;
    }
    if (good && rename(temporary.c_str(), path.c_str()) == 0)
      return "";
    const std::string reason = own + ": " + std::strerror(errno);
    unlink(temporary.c_str());
    return reason;
  }

  KernelLock::KernelLock(const std::string &key)
  {
    std::error_code error;
    const auto      folder = std::filesystem::temp_directory_path(error);
    if (error)
      return;
    path = folder / ("saltus-" + std::to_string(geteuid()) + "-" + key + ".lock");
    file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0)
      while (flock(file, LOCK_EX) != 0 && errno == EINTR)
        continue;
  }

  KernelLock::~KernelLock()
  {
    if (file < 0)
      return;
    unlink(path.c_str()); // a process that waits has the file open and reads the cache
    close(file);
  }
} // namespace Saltus
