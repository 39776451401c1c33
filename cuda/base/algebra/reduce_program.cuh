// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_algebra_reduce_program_cuh
#define saltus_cuda_base_algebra_reduce_program_cuh

#include <saltus/base/algebra/reduction.h>
#include <saltus/base/device/launch_shape.h>

namespace Saltus::CudaKernels
{
  /// Several reductions side by side: blocks `(c, i)` reduce chunk i of number c, and the last one
  /// of them to end reduces the results of the others, always in the same order. Blocks of one
  /// chunk are neighbors, so that arrays of several reductions come from the cache.
  template <typename Number, typename Operation, typename Terms>
  struct ReduceProgram
  {
    static constexpr LaunchShape shape{256, 1};

    static __device__ __forceinline__ void
    run(const std::size_t               n,
        const Operation                &operation,
        const Terms                    &terms,
        const ReductionResults<Number> &results)
    {
      __shared__ bool is_last;
      Number          value = Operation::template neutral<Number>();
      for (std::size_t k = static_cast<std::size_t>(blockIdx.y) * shape.n_threads + threadIdx.x;
           k < n;
           k += static_cast<std::size_t>(gridDim.y) * shape.n_threads)
        value = operation(value, terms(blockIdx.x, k));
      value = of_block(value, operation);

      Number *const of_blocks = results.of_blocks + blockIdx.x * results.max_blocks;
      if (threadIdx.x == 0)
        {
          of_blocks[blockIdx.y] = value;
          __threadfence(); // others see it before they see that this one is done
          is_last = atomicInc(results.n_done + blockIdx.x, gridDim.y - 1) == gridDim.y - 1;
        }
      __syncthreads();
      if (!is_last)
        return;
      value = Operation::template neutral<Number>();
      for (unsigned int i = threadIdx.x; i < gridDim.y; i += shape.n_threads)
        value = operation(value, __ldcg(of_blocks + i));
      value = of_block(value, operation);
      if (threadIdx.x == 0)
        results.values[blockIdx.x] = value;
    }

  private:
    /// The reduction of the values of all threads; complete in thread 0.
    static __device__ __forceinline__ Number
    of_block(Number value, const Operation &operation)
    {
      __shared__ Number of_warps[shape.n_threads / 32];
#pragma unroll
      for (int offset = 1; offset < 32; offset *= 2)
        value = operation(value, __shfl_down_sync(~0u, value, offset));
      if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = value;
      __syncthreads();
      if (threadIdx.x == 0)
        for (int warp = 1; warp < shape.n_threads / 32; ++warp)
          value = operation(value, of_warps[warp]);
      __syncthreads();
      return value;
    }
  };
} // namespace Saltus::CudaKernels

#endif
