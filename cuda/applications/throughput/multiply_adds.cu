// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <applications/throughput/multiply_adds.h>
#include <cuda/base/device/check.cuh>
#include <cuda/base/device/context.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

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

    __global__ void
    tensor_core_kernel(const double factor, double *sink)
    {
      constexpr int     n_pairs = n_chains / 2; // each as long as a step of the others
      CudaKernels::Pair d[n_pairs][2], a[2] = {{factor, factor}, {factor, factor}};
#pragma unroll
      for (auto &chain : d)
        chain[0][0] = chain[0][1] = chain[1][0] = chain[1][1] = threadIdx.x;
      for (int step = 0; step < n_steps; ++step)
#pragma unroll
        for (auto &chain : d)
          CudaKernels::multiply_add(chain, a[0], a[1], factor, factor);
      double sum = 0;
#pragma unroll
      for (const auto &chain : d)
        sum += chain[0][0] + chain[0][1] + chain[1][0] + chain[1][1];
      if (sum == -1) // never; but the compiler cannot know
        *sink = sum;
    }

    double
    run_tensor_cores()
    {
      if (!CudaRuntime::has_double_tensor_cores(CudaRuntime::current_device()))
        return 0;
      tensor_core_kernel<<<n_blocks, n_threads, 0, CudaRuntime::stream()>>>(1e-3, nullptr);
      CudaRuntime::check_launch("tensor cores");
      return 2. * 16 * 8 * 8 * n_blocks * (n_threads / 32) * n_steps * (n_chains / 2);
    }

    [[maybe_unused]] const bool registered = [] {
      MultiplyAddsRegistry<double>::cuda      = &run<double>;
      MultiplyAddsRegistry<float>::cuda       = &run<float>;
      MultiplyAddsRegistry<TensorCores>::cuda = &run_tensor_cores;
      return true;
    }();
  } // namespace
} // namespace Saltus::Throughput
