// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_reductions.h>
#include <saltus/base/cuda_runtime.h>

#include <cuda/base/check.cuh>
#include <memory>

namespace Saltus::CudaRuntime
{
  namespace
  {
    using Bits = unsigned long long;

    constexpr int threads = 256, max_blocks = 1024;

    /// Absolute values are ordered as their bits are when read as integers, with NaN above all:
    /// an integer maximum is exact, depends on no order and loses no NaN.
    template <typename Number>
    __global__ void
    max_difference_kernel(const Number *a, const Number *b, const std::size_t size, Bits *largest)
    {
      constexpr Bits    all_but_sign = ~Bits(0) >> 1;
      const std::size_t stride       = static_cast<std::size_t>(gridDim.x) * blockDim.x;

      Bits mine = 0;
      for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
           i < size;
           i += stride)
        {
          const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
          mine = max(mine, static_cast<Bits>(__double_as_longlong(difference)) & all_but_sign);
        }
      for (int offset = warpSize / 2; offset > 0; offset /= 2)
        mine = max(mine, __shfl_down_sync(~0U, mine, offset));
      if (threadIdx.x % warpSize == 0)
        atomicMax(largest, mine);
    }


    template <typename Number>
    double
    launch_max_difference(const Number *a, const Number *b, const std::size_t size)
    {
      if (size == 0)
        return 0.;
      const std::unique_ptr<void, void (*)(void *)> largest(allocate(sizeof(Bits)),
                                                            [](void *p) { release(p); });
      fill_zero(largest.get(), sizeof(Bits));
      const std::size_t needed = (size + threads - 1) / threads;
      const int         blocks = needed < max_blocks ? needed : max_blocks;
      max_difference_kernel<<<blocks, threads, 0, stream()>>>(a,
                                                              b,
                                                              size,
                                                              static_cast<Bits *>(largest.get()));
      check_launch("the kernel of the largest difference");
      double result; // the bits are those of a double
      copy_to_host(&result, largest.get(), sizeof(Bits));
      return result;
    }
  } // namespace


  double
  max_difference(const double *a, const double *b, const std::size_t size)
  {
    return launch_max_difference(a, b, size);
  }


  double
  max_difference(const float *a, const float *b, const std::size_t size)
  {
    return launch_max_difference(a, b, size);
  }
} // namespace Saltus::CudaRuntime
