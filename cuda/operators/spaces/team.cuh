// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_team_cuh
#define saltus_cuda_operators_spaces_team_cuh

namespace Saltus::CudaKernels
{
  constexpr int warp_size       = 32;
  constexpr int warps_per_block = 4;

  /// `n` neighbouring lanes of a warp, which own one element and keep one component each.
  template <typename Number, int n>
  struct Team
  {
    static constexpr int per_warp = warp_size / n;

    /// Lanes left over form a last, incomplete team.
    static constexpr int scratch_teams = (warp_size + n - 1) / n;

    /// Rows of odd length: neither writing rows nor reading columns meets a bank twice.
    static constexpr int row_stride = n | 1;

    /// Shared memory of a thread block, one `[row][column]` a team.
    using Scratch = Number[warps_per_block][scratch_teams][n * row_stride];

    __device__ __forceinline__
    Team(Scratch &scratch)
      : lane(threadIdx.x % warp_size)
      , scratch(scratch[threadIdx.x / warp_size][lane / n])
    {}

    /// The lane's number in the team.
    __device__ __forceinline__ int
    rank() const
    {
      return lane % n;
    }

    /// Number of the team among those of the whole grid, or -1 for a lane that is left over.
    __device__ __forceinline__ int
    number() const
    {
      const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
      return lane < per_warp * n ? warp * per_warp + lane / n : -1;
    }

    /// Lane i's j-th value becomes lane j's i-th. All lanes of the warp take part.
    __device__ __forceinline__ void
    transpose(Number (&values)[n]) const
    {
      if constexpr (n > 1)
        {
#pragma unroll
          for (int j = 0; j < n; ++j)
            scratch[rank() * row_stride + j] = values[j];
          __syncwarp();
#pragma unroll
          for (int i = 0; i < n; ++i)
            values[i] = scratch[i * row_stride + rank()];
          __syncwarp();
        }
    }

    const int lane;
    Number   *scratch;
  };
} // namespace Saltus::CudaKernels

#endif
