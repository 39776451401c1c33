// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/kernel_compiler.h>

#include "cuda_driver.h"
#include <cstdlib>
#include <cstring>

namespace Saltus::CudaDriver
{
  namespace
  {
    constexpr std::size_t memory_of_device = std::size_t(80) << 30;

    Status
    attribute(int *value, const Attribute name, const int)
    {
      const GpuLimits &limits = *KernelCompiler::assumed();
      switch (name)
        {
          case Attribute::major:
            *value = limits.architecture / 10;
            break;
          case Attribute::minor:
            *value = limits.architecture % 10;
            break;
          case Attribute::single_to_double_ratio:
            *value = limits.has_double_tensor_cores ? 2 : 64;
            break;
          case Attribute::shared_memory_of_block:
            *value = limits.shared_memory;
            break;
          case Attribute::multiprocessors:
            *value = 100;
            break;
          case Attribute::memory_pools:
            *value = 1;
        }
      return Status::success;
    }

    Status
    allocate(void **pointer, const std::size_t bytes)
    {
      *pointer = std::calloc(bytes, 1);
      return *pointer == nullptr ? Status::out_of_memory : Status::success;
    }
  } // namespace

  Driver
  driver_of_assumed_gpu()
  {
    Driver driver(std::initializer_list<const char *>{});
    driver.n_devices = [](int *n) {
      *n = 1;
      return Status::success;
    };
    driver.name = [](char *name, int, int) {
      std::strcpy(name, "no GPU, only kernels for one");
      return Status::success;
    };
    driver.attribute    = attribute;
    driver.total_memory = [](std::size_t *bytes, int) {
      *bytes = memory_of_device;
      return Status::success;
    };
    driver.memory = [](std::size_t *available, std::size_t *total) {
      *available = *total = memory_of_device;
      return Status::success;
    };
    driver.of_pointer = [](int *device, int, const void *) {
      *device = 0;
      return Status::success;
    };
    driver.priorities = [](int *least, int *greatest) {
      *least = *greatest = 0;
      return Status::success;
    };
    driver.allocate      = allocate;
    driver.allocate_from = [](void **pointer, const std::size_t bytes, Pool, Stream) {
      return allocate(pointer, bytes);
    };
    driver.allocate_on_host = [](void **pointer, const std::size_t bytes, unsigned int) {
      return allocate(pointer, bytes);
    };
    driver.release = [](void *pointer, Stream) {
      std::free(pointer);
      return Status::success;
    };
    driver.copy = [](void *to, const void *from, const std::size_t bytes, Stream) {
      std::memcpy(to, from, bytes);
      return Status::success;
    };
    driver.fill = [](void *to, const unsigned char value, const std::size_t bytes, Stream) {
      std::memset(to, value, bytes);
      return Status::success;
    };
    return driver;
  }
} // namespace Saltus::CudaDriver
