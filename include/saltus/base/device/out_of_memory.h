// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_out_of_memory_h
#define saltus_base_device_out_of_memory_h

#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace Saltus
{
  /// There is less memory than was asked for. The message says how much of both, and what may help.
  class OutOfMemory : public std::bad_alloc
  {
  public:
    /// @param place the memory that is full, for the message
    /// @param wanted,available in bytes
    OutOfMemory(const std::string &place, const std::size_t wanted, const std::size_t available);

    const char *
    what() const noexcept override
    {
      return message->c_str();
    }

  private:
    std::shared_ptr<const std::string> message; // shared: exceptions are copied without throwing
  };

  /// Bytes of the host's memory that this process may still take: the least of what the system has,
  /// and of what control groups, the limit to addresses (`ulimit -v`) and SALTUS_MEMORY_LIMIT (GiB)
  /// leave.
  /// @throws std::runtime_error if SALTUS_MEMORY_LIMIT is not a number
  std::size_t
  available_host_memory();

  /// Aligned memory of the host, to be given back with std::free().
  /// @throws OutOfMemory instead of taking so much that the system would end the program
  void *
  allocate_on_host(const std::size_t bytes);

  /// `1.50 GiB`
  std::string
  bytes_for_people(const std::size_t bytes);
} // namespace Saltus

#endif
