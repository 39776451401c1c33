// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_context_cuh
#define saltus_cuda_base_device_context_cuh

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
