// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>

#include <cuda/base/check.cuh>

namespace Saltus::CudaRuntime
{
  namespace
  {
    constexpr int n_threads = 256, n_blocks = 132 * 16, n_steps = 2000;
    /// Independent chains a thread.
    constexpr int n_chains = 8;

    template <typename Number>
    __global__ void
    multiply_add_kernel(const Number factor, const Number shift, Number *sink)
    {
      Number values[n_chains];
#pragma unroll
      for (int chain = 0; chain < n_chains; ++chain)
        values[chain] = threadIdx.x + chain;
      for (int step = 0; step < n_steps; ++step)
#pragma unroll
        for (int chain = 0; chain < n_chains; ++chain)
          values[chain] = values[chain] * factor + shift;
      Number sum = 0;
#pragma unroll
      for (int chain = 0; chain < n_chains; ++chain)
        sum += values[chain];
      if (sum == Number(-1)) // never; but the compiler cannot know
        *sink = sum;
    }
  } // namespace

  double
  multiply_adds(const bool double_precision)
  {
    if (double_precision)
      multiply_add_kernel<double><<<n_blocks, n_threads, 0, stream()>>>(0.999999, 1e-6, nullptr);
    else
      multiply_add_kernel<float><<<n_blocks, n_threads, 0, stream()>>>(0.999999f, 1e-6f, nullptr);
    check(cudaGetLastError(), "multiply-adds");
    return 2. * n_blocks * n_threads * n_steps * n_chains;
  }
} // namespace Saltus::CudaRuntime
