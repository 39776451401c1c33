// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_algebra_scan_programs_cuh
#define saltus_cuda_base_algebra_scan_programs_cuh

#include <saltus/base/device/launch_shape.h>

namespace Saltus::CudaKernels
{
  /// Numbers of a thread and of its block in a scan, and their sums.
  template <typename Sum>
  struct ScanBlock
  {
    static constexpr int n_threads = 256, n_own = 8, per_block = n_threads * n_own;

    /// The numbers `[0, n)` of an array, and zeros behind them.
    template <typename Number>
    __device__ __forceinline__
    ScanBlock(const int n, const Number *numbers)
      : first(blockIdx.x * per_block + threadIdx.x * n_own)
    {
#pragma unroll
      for (int i = 0; i < n_own; ++i)
        sum += own[i] = first + i < n ? numbers[first + i] : 0;
    }

    /// The sum of the numbers of the threads before this one in the block.
    /// @param total becomes the sum of all numbers of the block
    __device__ __forceinline__ Sum
    before(Sum &total) const
    {
      __shared__ Sum of_warps[n_threads / 32];
      const int      lane = threadIdx.x % 32, warp = threadIdx.x / 32;
      Sum            up_to = sum;
#pragma unroll
      for (int offset = 1; offset < 32; offset *= 2)
        {
          const Sum other = __shfl_up_sync(~0u, up_to, offset);
          up_to += lane >= offset ? other : 0;
        }
      if (lane == 31)
        of_warps[warp] = up_to;
      __syncthreads();
      total      = 0;
      Sum result = up_to - sum;
      for (int w = 0; w < n_threads / 32; ++w)
        {
          result += w < warp ? of_warps[w] : 0;
          total += of_warps[w];
        }
      return result;
    }

    const int first; ///< number of the thread
    Sum       own[n_own], sum = 0;
  };

  /// The sum of the numbers of each block.
  template <typename Number, typename Sum>
  struct BlockSumsProgram
  {
    static constexpr LaunchShape shape{ScanBlock<Sum>::n_threads, ScanBlock<Sum>::per_block};

    static __device__ __forceinline__ void
    run(const int n, const Number *numbers, Sum *sums)
    {
      Sum total;
      ScanBlock<Sum>(n, numbers).before(total);
      if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
    }
  };

  /// The sums of all numbers before each of `[0, n]`.
  template <typename Number, typename Sum>
  struct ScanProgram
  {
    static constexpr LaunchShape shape = BlockSumsProgram<Number, Sum>::shape;

    /// @param starts `[block]`: the sums of the numbers of the blocks before
    static __device__ __forceinline__ void
    run(const int n, const Number *numbers, const Sum *starts, Sum *results)
    {
      const ScanBlock<Sum> here(n, numbers);
      Sum                  total;
      Sum                  sum = starts[blockIdx.x] + here.before(total);
#pragma unroll
      for (int i = 0; i < here.n_own; ++i)
        {
          if (here.first + i <= n)
            results[here.first + i] = sum;
          sum += here.own[i];
        }
    }
  };
} // namespace Saltus::CudaKernels

#endif
