// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_device_numbers_cuh
#define saltus_cuda_base_device_device_numbers_cuh

#include <saltus/base/device/cuda_runtime.h>

#include <vector>

namespace Saltus
{
  /// Memory for numbers on the device, which are set once.
  class DeviceNumbers
  {
  public:
    DeviceNumbers(const std::vector<double> &values)
      : size(values.size() * sizeof(double))
      , numbers(static_cast<double *>(CudaRuntime::allocate(size)))
    {
      CudaRuntime::copy_to_device(numbers, values.data(), size);
    }

    DeviceNumbers(const DeviceNumbers &) = delete;

    ~DeviceNumbers()
    {
      CudaRuntime::release(numbers);
    }

    const double *
    data() const
    {
      return numbers;
    }

  private:
    const std::size_t size;
    double *const     numbers;
  };
} // namespace Saltus

#endif
