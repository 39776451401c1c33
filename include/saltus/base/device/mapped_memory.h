// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_mapped_memory_h
#define saltus_base_device_mapped_memory_h

#include <cstddef>

namespace Saltus::CudaRuntime
{
  /// Host memory that kernels write to, for a few numbers that the host waits for: they are there
  /// when the kernel ends, without a copy after it. It is kept as long as the program lives.
  class MappedMemory
  {
  public:
    explicit MappedMemory(const std::size_t bytes);

    /// For kernels.
    void *
    data() const
    {
      return memory;
    }

    /// Wait for the device and read the first bytes.
    void
    read(void *to, const std::size_t bytes) const;

  private:
    void *memory = nullptr;
  };
} // namespace Saltus::CudaRuntime

#endif
