// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/out_of_memory.h>

#include <cstdio>
#include <cstdlib>

namespace Saltus
{
  namespace
  {
    constexpr std::size_t alignment = 64;

    /// Smaller arrays are taken without asking the system how much there is.
    constexpr std::size_t large = std::size_t(1) << 28;
  } // namespace

  OutOfMemory::OutOfMemory(const std::string &place,
                           const std::size_t  wanted,
                           const std::size_t  available)
    : message(std::make_shared<const std::string>(
        "Out of memory: " + bytes_for_people(wanted) + " were asked for at once, but " + place +
        " has only " + bytes_for_people(available) +
        " left. Use a coarser mesh, a lower degree, single precision, or another device."))
  {}

  void *
  allocate_on_host(const std::size_t bytes)
  {
    // The system grants more than it has, and ends programs when they use it.
    if (bytes >= large && bytes > available_host_memory())
      throw OutOfMemory("the host", bytes, available_host_memory());
    void *const pointer =
      std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (pointer == nullptr)
      throw OutOfMemory("the host", bytes, available_host_memory());
    return pointer;
  }

  std::string
  bytes_for_people(const std::size_t bytes)
  {
    char text[40];
    if (bytes < (std::size_t(1) << 30))
      std::snprintf(text, sizeof(text), "%.2f MiB", double(bytes) / (1 << 20));
    else
      std::snprintf(text, sizeof(text), "%.2f GiB", double(bytes) / (1 << 30));
    return text;
  }
} // namespace Saltus
