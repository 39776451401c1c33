// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_multiply_adds_cuh
#define applications_throughput_multiply_adds_cuh

#include <saltus/base/device/launch_shape.h>

#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// Independent chains of multiply-adds in each thread.
  template <typename Number, int n_chains, int n_steps>
  struct MultiplyAddProgram
  {
    static constexpr LaunchShape shape{256, 1};

    static __device__ __forceinline__ void
    run(const Number factor, const Number shift, Number *sink)
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
  };

  /// The same with small matrices on tensor cores.
  template <int n_chains, int n_steps>
  struct MatrixMultiplyAddProgram
  {
    static constexpr LaunchShape shape{256, 1};

    static __device__ __forceinline__ void
    run(const double factor, double *sink)
    {
      Pair d[n_chains][2], a[2] = {{factor, factor}, {factor, factor}};
#pragma unroll
      for (auto &chain : d)
        chain[0][0] = chain[0][1] = chain[1][0] = chain[1][1] = threadIdx.x;
      for (int step = 0; step < n_steps; ++step)
#pragma unroll
        for (auto &chain : d)
          multiply_add(chain, a[0], a[1], factor, factor);
      double sum = 0;
#pragma unroll
      for (const auto &chain : d)
        sum += chain[0][0] + chain[0][1] + chain[1][0] + chain[1][1];
      if (sum == -1) // never; but the compiler cannot know
        *sink = sum;
    }
  };
} // namespace Saltus::CudaKernels

#endif
