// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_per_device_h
#define saltus_base_device_per_device_h

#include <map>
#include <mutex>

namespace Saltus::CudaRuntime
{
  /// The object of the type @p T that the library has once on a device. The first call makes it,
  /// with the device as the current one. The object lives as long as the program, since the driver
  /// may be gone before static objects are.
  template <typename T>
  T &
  of_device(const int ordinal)
  {
    static std::mutex        mutex;
    static std::map<int, T> &objects = *new std::map<int, T>;

    const std::lock_guard<std::mutex> lock(mutex);
    return objects[ordinal];
  }
} // namespace Saltus::CudaRuntime

#endif
