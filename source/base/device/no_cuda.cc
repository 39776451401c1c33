// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "no_cuda.h"

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/device/kernel_compiler.h>

/// The CUDA services of a build without CUDA: no device is usable, and nothing else is called.
namespace Saltus::CudaRuntime
{
  bool
  is_built()
  {
    return false;
  }

  int
  n_devices()
  {
    return 0;
  }

  bool
  usable(const int, std::string &reason)
  {
    reason = "this build of Saltus has no CUDA back end";
    return false;
  }

  void
  select(const int)
  {
    unavailable();
  }

  std::string
  description(const int)
  {
    unavailable();
  }

  std::string
  device_name()
  {
    unavailable();
  }

  const char *
  lack_for_kernels(const int, const bool)
  {
    unavailable();
  }

  void *
  allocate(const std::size_t)
  {
    unavailable();
  }

  std::size_t
  available_memory()
  {
    unavailable();
  }

  void
  take_memory(const std::size_t, const std::function<bool()> &)
  {
    unavailable();
  }

  void
  release(void *) noexcept
  {}

  void
  copy_to_device(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  void
  copy_to_host(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  std::size_t
  transferred_bytes()
  {
    return 0;
  }

  void
  pin(void *, const std::size_t)
  {
    unavailable();
  }

  void
  unpin(void *) noexcept
  {}

  void
  fork()
  {
    unavailable();
  }

  void
  beside(const std::function<void()> &)
  {
    unavailable();
  }

  void
  join()
  {
    unavailable();
  }

  void
  copy_on_device(void *, const void *, const std::size_t)
  {
    unavailable();
  }

  void
  fill_zero(void *, const std::size_t)
  {
    unavailable();
  }

  void
  synchronize()
  {
    unavailable();
  }

  bool
  is_recording()
  {
    return false;
  }

  Graph::~Graph() = default;

  void
  Graph::record(const std::function<void()> &)
  {
    unavailable();
  }

  void
  Graph::clear() noexcept
  {}

  void
  Graph::launch() const
  {
    unavailable();
  }

  void
  outside_recording(const std::function<void()> &)
  {
    unavailable();
  }

  double
  time(const std::function<void()> &)
  {
    unavailable();
  }
} // namespace Saltus::CudaRuntime

namespace Saltus
{
  GpuKernel::GpuKernel(const KernelSource &source)
  {
    if (!KernelCompiler::assumed())
      CudaRuntime::unavailable();
    KernelCompiler::compile(source, *KernelCompiler::assumed());
  }

  const LaunchShape &
  GpuKernel::shape() const
  {
    CudaRuntime::unavailable();
  }

  void
  GpuKernel::make_tables(const void *)
  {
    CudaRuntime::unavailable();
  }

  void
  GpuKernel::launch_pointers(const std::size_t, const Options &, const void **) const
  {
    CudaRuntime::unavailable();
  }
} // namespace Saltus
