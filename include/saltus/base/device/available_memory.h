// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_available_memory_h
#define saltus_base_device_available_memory_h

#include <saltus/base/device/device.h>

#include <cstddef>
#include <functional>

namespace Saltus
{
  namespace CudaRuntime
  {
    /// Bytes of the current device that are free, or kept for arrays to come.
    std::size_t
    available_memory();

    /// Call @p attempt, which returns whether the current device has @p bytes for it. If not, the
    /// device gets back the memory that the library keeps for arrays to come, and @p attempt is
    /// called once more.
    /// @throws OutOfMemory if there is still too little memory
    void
    take_memory(const std::size_t bytes, const std::function<bool()> &attempt);
  } // namespace CudaRuntime

  /// Bytes that may still be taken where @p device has its arrays: of the host's memory or of a
  /// GPU's. Others may take them, too. The environment variable SALTUS_MEMORY_LIMIT (GiB) may lower
  /// it, where a process is granted less than there is.
  /// @throws std::runtime_error if that is not a number
  std::size_t
  available_memory(const Device device);

  /// Bytes of the host's memory that this process has; 0 if the system does not say it.
  std::size_t
  host_memory_in_use();
} // namespace Saltus

#endif
