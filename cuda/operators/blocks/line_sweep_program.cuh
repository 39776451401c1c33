// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_blocks_line_sweep_program_cuh
#define saltus_cuda_operators_blocks_line_sweep_program_cuh

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/blocks/line_sweep.h>

namespace Saltus::CudaKernels
{
  /// The threads of a warp.
  struct WarpTeam
  {
    static constexpr int n_threads = 32;

    __device__ int
    rank() const
    {
      return threadIdx.x;
    }

    __device__ int
    size() const
    {
      return n_threads;
    }

    __device__ void
    synchronize() const
    {
      __syncwarp();
    }
  };

  /// The data of a lane for a step, beside the values of the element before.
  template <typename Number, int max_modes>
  struct LineStep
  {
    Number *result;
    Number  value, row[max_modes]; ///< 0 beyond the number of modes

    __device__ void
    load(const LineSweep<Number> &sweep, const int later, const int lane)
    {
      const int     n  = sweep.n_modes;
      const int     to = sweep.elements[sweep.forward ? later : later - 1];
      const Number *matrix =
        sweep.factors + static_cast<std::size_t>(later) * n * n + lane * (sweep.forward ? 1 : n);
      const int stride = sweep.forward ? n : 1;
      result           = sweep.x + CoefficientLayout{n, 1}.index(to, 0) + lane * block_size;
      value            = lane < n ? *result : Number(0);
#pragma unroll
      for (int m = 0; m < max_modes; ++m)
        row[m] = lane < n && m < n ? matrix[m * stride] : Number(0);
    }
  };

  template <typename Sweep, int max_modes>
  struct LineSweepProgram;

  /// A warp a line: few lines must reach many multiprocessors. With few modes, each has a lane. A
  /// line is a chain of steps, so a lane reads the data of a step some steps ahead.
  /// @tparam max_modes number of modes or more; 0 for any number
  template <typename Number, int max_modes>
  struct LineSweepProgram<LineSweep<Number>, max_modes>
  {
    static constexpr LaunchShape shape{WarpTeam::n_threads, 1};

    static __device__ __forceinline__ void
    run(const int, const LineSweep<Number> &sweep)
    {
      const int line = blockIdx.x;
      if constexpr (max_modes == 0)
        sweep.run(line, WarpTeam());
      else
        run_ahead(sweep, sweep.starts[line], sweep.starts[line + 1]);
    }

  private:
    static __device__ __forceinline__ void
    run_ahead(const LineSweep<Number> &sweep, const int begin, const int end)
    {
      constexpr int n_ahead = max_modes <= 16 ? 4 : 2;
      const int     lane = threadIdx.x, n_steps = end - begin;
      const auto later = [&](const int step) { return sweep.forward ? begin + step : end - step; };

      const int first = sweep.elements[sweep.forward ? begin : end - 1];
      Number    value = 0;
      if (lane < sweep.n_modes)
        value = sweep.x[CoefficientLayout{sweep.n_modes, 1}.index(first, lane)];
      LineStep<Number, max_modes> steps[n_ahead];
#pragma unroll
      for (int i = 0; i < n_ahead; ++i)
        if (1 + i < n_steps)
          steps[i].load(sweep, later(1 + i), lane);
      for (int step = 1; step < n_steps; step += n_ahead)
#pragma unroll
        for (int i = 0; i < n_ahead; ++i)
          if (step + i < n_steps)
            {
              Number sum[2] = {0, 0}; // two chains of additions
#pragma unroll
              for (int m = 0; m < max_modes; ++m)
                sum[m % 2] += steps[i].row[m] * __shfl_sync(0xffffffff, value, m);
              value = steps[i].value - (sum[0] + sum[1]);
              if (lane < sweep.n_modes)
                *steps[i].result = value;
              if (step + i + n_ahead < n_steps)
                steps[i].load(sweep, later(step + i + n_ahead), lane);
            }
    }
  };
} // namespace Saltus::CudaKernels

#endif
