// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_algebra_sort_programs_cuh
#define saltus_cuda_base_algebra_sort_programs_cuh

// The two kernels of each pass of a radix sort by the least significant digits first.

#include <saltus/base/algebra/radix_pass.h>
#include <saltus/base/device/launch_shape.h>

namespace Saltus::CudaKernels
{
  constexpr int n_sort_threads = 256;

  __device__ __forceinline__ int
  digit_of(const std::uint64_t key, const int shift)
  {
    return static_cast<int>(key >> shift) & (RadixPass::n_digits - 1);
  }

  /// Count the pairs of each digit in each block.
  struct CountDigitsProgram
  {
    static constexpr LaunchShape shape{n_sort_threads, RadixPass::per_block};

    static __device__ __forceinline__ void
    run(const RadixPass &arg)
    {
      __shared__ int counts[RadixPass::n_digits];
      counts[threadIdx.x] = 0;
      __syncthreads();
      const int first = blockIdx.x * RadixPass::per_block + threadIdx.x;
      for (int i = first; i < first + RadixPass::per_block && i < arg.n; i += n_sort_threads)
        atomicAdd(counts + digit_of(arg.keys[i], arg.shift), 1);
      __syncthreads();
      arg.counts[threadIdx.x * arg.n_blocks + blockIdx.x] = counts[threadIdx.x];
    }
  };
  static_assert(n_sort_threads == RadixPass::n_digits);

  /// Put each pair behind the pairs with lower digits and the earlier pairs with the same digit.
  struct PlacePairsProgram
  {
    static constexpr LaunchShape shape{n_sort_threads, RadixPass::per_block};

    static __device__ __forceinline__ void
    run(const RadixPass &arg)
    {
      constexpr int n_warps = n_sort_threads / 32, n_rounds = RadixPass::per_block / n_sort_threads;
      __shared__ int counts[n_warps][RadixPass::n_digits]; // then where the pairs of each begin
      const int      warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      for (int w = 0; w < n_warps; ++w)
        counts[w][threadIdx.x] = 0;
      __syncthreads();

      // Each warp has pairs that follow each other, and takes 32 of them in a round.
      const int     first = blockIdx.x * RadixPass::per_block + warp * 32 * n_rounds + lane;
      std::uint64_t keys[n_rounds];
      int           ranks[n_rounds]; // among the pairs of the warp with the same digit
#pragma unroll
      for (int round = 0; round < n_rounds; ++round)
        {
          const int  i         = first + 32 * round;
          const bool is_pair   = i < arg.n;
          keys[round]          = is_pair ? arg.keys[i] : 0;
          const int      digit = is_pair ? digit_of(keys[round], arg.shift) : RadixPass::n_digits;
          const unsigned same  = __match_any_sync(~0u, digit);
          const int      n_before = __popc(same & ((1u << lane) - 1));
          if (is_pair)
            ranks[round] = counts[warp][digit] + n_before;
          __syncwarp();
          if (is_pair && n_before == 0)
            counts[warp][digit] += __popc(same);
          __syncwarp();
        }
      __syncthreads();

      int start = arg.starts[threadIdx.x * arg.n_blocks + blockIdx.x];
      for (int w = 0; w < n_warps; ++w)
        {
          const int n            = counts[w][threadIdx.x];
          counts[w][threadIdx.x] = start;
          start += n;
        }
      __syncthreads();

#pragma unroll
      for (int round = 0; round < n_rounds; ++round)
        if (const int i = first + 32 * round; i < arg.n)
          {
            const int to           = counts[warp][digit_of(keys[round], arg.shift)] + ranks[round];
            arg.ordered_keys[to]   = keys[round];
            arg.ordered_values[to] = arg.values[i];
          }
    }
  };
} // namespace Saltus::CudaKernels

#endif
