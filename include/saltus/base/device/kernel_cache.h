// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_kernel_cache_h
#define saltus_base_device_kernel_cache_h

#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Compiled GPU kernels on disk, one file each, which all later runs read.
  ///
  /// The folder is `$SALTUS_CACHE`, else `$XDG_CACHE_HOME/saltus`, else `~/.cache/saltus`. An
  /// installed, read-only folder is searched first. A file must be a regular file of the user or of
  /// the installation, writable by nobody else. Files are complete at any time: a process writes a
  /// temporary file and renames it.
  class KernelCache
  {
  public:
    /// @param subfolder that of an architecture, `sm_90`
    explicit KernelCache(const std::string &subfolder);

    /// The binary of a key; nothing for a missing or damaged file. A damaged file is removed with a
    /// warning.
    std::optional<std::vector<char>>
    read(const std::string &key) const;

    /// Keep a binary.
    /// @return the reason of a failure, else an empty string
    std::string
    write(const std::string &key, const std::vector<char> &binary) const;

    /// The user's folder with the subfolder; empty where the environment names none.
    const std::string &
    folder() const
    {
      return own;
    }

  private:
    std::string own;       ///< of the user
    std::string installed; ///< beside the library
  };

  /// Keeps other processes on this machine from compiling the same kernel at the same time, as long
  /// as the object lives. Without a writable folder for temporary files it does nothing.
  class KernelLock
  {
  public:
    /// Wait for other processes.
    explicit KernelLock(const std::string &key);

    KernelLock(const KernelLock &) = delete;
    KernelLock &
    operator=(const KernelLock &) = delete;

    ~KernelLock();

  private:
    std::string path;
    int         file = -1;
  };
} // namespace Saltus

#endif
