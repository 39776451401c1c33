// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_context_cuh
#define saltus_cuda_base_device_context_cuh

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/kernel_source.h>

#include <cuda/base/device/check.cuh>
#include <map>
#include <mutex>

namespace Saltus::CudaRuntime
{
  int
  current_device();

  /// Compute capability, 90 for 9.0.
  int
  architecture(const int ordinal);

  int
  n_multiprocessors(const int ordinal);

  /// Whether double precision runs on tensor cores, and at more than a token rate, as it does on
  /// data centre GPUs from compute capability 8.0 on, where code was compiled for that or later.
  bool
  has_double_tensor_cores(const int ordinal);

  /// Smallest and largest number of bytes of shared memory that a block of threads may have: that
  /// of compute capability 7.5 and that of 9.0.
  constexpr int least_shared_memory = 64 << 10, most_shared_memory = 227 << 10;

  /// Bytes of shared memory that a block may have on the current device. The environment variable
  /// SALTUS_SHARED_MEMORY lowers this number, so that the kernels of smaller devices can be tried.
  /// @throws std::runtime_error if the variable is not a number of bytes
  int
  shared_memory_of_block();

  /// Let blocks of @p kernel have more shared memory than kernels have by themselves. Each library
  /// needs a function of its own, since the CUDA runtime in it knows its own kernels only.
  /// @throws std::runtime_error if a block may not have as much, see shared_memory_of_block()
  static inline void
  allow_shared_memory(const void *kernel, const int bytes)
  {
    if (const int largest = shared_memory_of_block(); bytes > largest)
      throw std::runtime_error("CUDA: a kernel needs " + std::to_string(bytes) +
                               " bytes of shared memory a block, but this GPU has " +
                               std::to_string(largest) + ". The device cpu needs none.");
    cudaFuncAttributes now{};
    check(cudaFuncGetAttributes(&now, kernel), "attributes of a kernel");
    if (now.maxDynamicSharedSizeBytes < bytes)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            "shared memory of a kernel");
  }

  template <typename... Parameters>
  static void
  allow_shared_memory(void (*kernel)(Parameters...), const int bytes)
  {
    allow_shared_memory(reinterpret_cast<const void *>(kernel), bytes);
  }

  /// The limits of a device. The environment variables SALTUS_SHARED_MEMORY and
  /// SALTUS_DOUBLE_TENSOR_CORES lower them.
  GpuLimits
  limits(const int ordinal);

  /// What the library has once on a device: its object of the type @p T, made when it is first
  /// asked for, with the device as the current one. It lives as long as the program: the CUDA
  /// runtime may be gone before static objects are.
  template <typename T>
  T &
  of_device(const int ordinal)
  {
    static std::mutex        mutex;
    static std::map<int, T> &objects = *new std::map<int, T>;

    std::lock_guard<std::mutex> lock(mutex);
    return objects[ordinal];
  }

  template <typename T>
  T &
  of_current_device()
  {
    return of_device<T>(current_device());
  }
} // namespace Saltus::CudaRuntime

#endif
