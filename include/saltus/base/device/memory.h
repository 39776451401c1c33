// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_memory_h
#define saltus_base_device_memory_h

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/device.h>
#include <saltus/base/device/out_of_memory.h>

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace Saltus
{
  /// An array of trivially copyable @p T on a device. Moves, but copies only when told to.
  template <typename T>
  class Memory
  {
  public:
    Memory() = default;

    /// @p size zeros on @p device.
    /// @throws OutOfMemory
    Memory(const Device device, const std::size_t size)
      : Memory(uninitialized(device, size))
    {
      fill_zero();
    }

    /// A copy of @p values on @p device.
    Memory(const Device device, const std::vector<T> &values)
      : Memory(uninitialized(device, values.size()))
    {
      copy_from_host(values.data());
    }

    /// Room for @p size values, all of which are written before they are read.
    /// @throws OutOfMemory
    static Memory
    uninitialized(const Device device, const std::size_t size)
    {
      Memory result;
      result.device_ = device;
      result.size_   = size;
      if (size > 0)
        {
          device.make_current();
          result.pointer = static_cast<T *>(device.is_cuda() ? CudaRuntime::allocate(result.bytes())
                                                             : allocate_on_host(result.bytes()));
        }
      return result;
    }

    Memory(Memory &&other) noexcept
    {
      swap(other);
    }

    Memory &
    operator=(Memory &&other) noexcept
    {
      swap(other);
      return *this;
    }

    ~Memory()
    {
      if (pointer != nullptr && device_.is_cuda())
        CudaRuntime::release(pointer);
      else
        std::free(pointer);
    }

    void
    swap(Memory &other) noexcept
    {
      std::swap(device_, other.device_);
      std::swap(size_, other.size_);
      std::swap(pointer, other.pointer);
    }

    T *
    data()
    {
      return pointer;
    }

    const T *
    data() const
    {
      return pointer;
    }

    std::size_t
    size() const
    {
      return size_;
    }

    Device
    device() const
    {
      return device_;
    }

    void
    fill_zero()
    {
      if (size_ == 0)
        return;
      device_.make_current();
      if (device_.is_cuda())
        CudaRuntime::fill_zero(pointer, bytes());
      else
        std::memset(static_cast<void *>(pointer), 0, bytes());
    }

    /// Read `size()` values from host memory.
    void
    copy_from_host(const T *from)
    {
      copy_from_host(from, size_);
    }

    /// Read the first @p n values.
    void
    copy_from_host(const T *from, const std::size_t n)
    {
      copy(CudaRuntime::copy_to_device, pointer, from, n);
    }

    /// Write `size()` values to host memory; waits for the device.
    void
    copy_to_host(T *to) const
    {
      copy_to_host(to, size_);
    }

    /// Write the first @p n values.
    void
    copy_to_host(T *to, const std::size_t n) const
    {
      copy(CudaRuntime::copy_to_host, to, pointer, n);
    }

    std::vector<T>
    to_host() const
    {
      std::vector<T> values(size_);
      copy_to_host(values.data());
      return values;
    }

    /// Copy from an array of the same size on the same device.
    void
    copy_from(const Memory &other)
    {
      copy_from(other, size_);
    }

    /// Copy the first @p n values from an array on the same device.
    void
    copy_from(const Memory &other, const std::size_t n)
    {
      copy(CudaRuntime::copy_on_device, pointer, other.pointer, n);
    }

  private:
    /// Copy @p n values, on a GPU by @p on_gpu of CudaRuntime.
    template <typename OnGpu>
    void
    copy(const OnGpu &on_gpu, T *to, const T *from, const std::size_t n) const
    {
      if (n == 0)
        return;
      device_.make_current();
      if (device_.is_cuda())
        on_gpu(to, from, n * sizeof(T));
      else
        std::memcpy(static_cast<void *>(to), from, n * sizeof(T));
    }

    std::size_t
    bytes() const
    {
      return size_ * sizeof(T);
    }

    Device      device_ = Device::cpu();
    std::size_t size_   = 0;
    T          *pointer = nullptr;
  };
} // namespace Saltus

#endif
