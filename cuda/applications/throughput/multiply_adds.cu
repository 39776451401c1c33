// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <applications/throughput/multiply_adds.h>
#include <cuda/base/check.cuh>

namespace Saltus::Throughput
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

    template <typename Number>
    double
    run()
    {
      multiply_add_kernel<Number>
        <<<n_blocks, n_threads, 0, CudaRuntime::stream()>>>(Number(0.999999),
                                                            Number(1e-6),
                                                            nullptr);
      CudaRuntime::check_launch("multiply-adds");
      return 2. * n_blocks * n_threads * n_steps * n_chains;
    }

    [[maybe_unused]] const bool registered = [] {
      MultiplyAddsRegistry<double>::cuda = &run<double>;
      MultiplyAddsRegistry<float>::cuda  = &run<float>;
      return true;
    }();
  } // namespace
} // namespace Saltus::Throughput
