// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A warp works on one line.
#include <saltus/base/device/launch.h>
#include <saltus/operators/blocks/line_sweep.h>

#include <cuda/base/device/check.cuh>

namespace Saltus
{
  namespace
  {
    // Few lines must reach many multiprocessors.
    constexpr int warp_size = 32, n_threads = 32;

    struct Warp
    {
      __device__ int
      rank() const
      {
        return threadIdx.x % warp_size;
      }

      __device__ int
      size() const
      {
        return warp_size;
      }

      __device__ void
      synchronize() const
      {
        __syncwarp();
      }
    };

    /// Of any number of modes.
    template <typename Number>
    __global__ void
    __launch_bounds__(n_threads) line_kernel(const int n_lines, const LineSweep<Number> sweep)
    {
      const int line = (blockIdx.x * n_threads + threadIdx.x) / warp_size;
      if (line < n_lines)
        sweep.run(line, Warp());
    }

    /// What a lane needs for a step, beside the values of the element before.
    template <typename Number, int max_modes>
    struct Step
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

    /// A lane for each mode. A line is a chain of steps: what they need beside each other's results
    /// is read some steps ahead.
    template <typename Number, int max_modes>
    __global__ void
    __launch_bounds__(n_threads) short_line_kernel(const int n_lines, const LineSweep<Number> sweep)
    {
      constexpr int n_ahead = max_modes <= 16 ? 4 : 2;
      const int     line = (blockIdx.x * n_threads + threadIdx.x) / warp_size, lane = Warp().rank();
      if (line >= n_lines)
        return;
      const int  begin = sweep.starts[line], end = sweep.starts[line + 1];
      const int  n_steps = end - begin;
      const auto later = [&](const int step) { return sweep.forward ? begin + step : end - step; };

      const int first = sweep.elements[sweep.forward ? begin : end - 1];
      Number    value = 0;
      if (lane < sweep.n_modes)
        value = sweep.x[CoefficientLayout{sweep.n_modes, 1}.index(first, lane)];
      Step<Number, max_modes> steps[n_ahead];
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

    template <typename Number>
    bool
    run(const int n_lines, const LineSweep<Number> &sweep)
    {
      auto kernel = line_kernel<Number>;
      if (sweep.n_modes <= 4)
        kernel = short_line_kernel<Number, 4>;
      else if (sweep.n_modes <= 16)
        kernel = short_line_kernel<Number, 16>;
      else if (sweep.n_modes <= 32)
        kernel = short_line_kernel<Number, 32>;
      constexpr int n_at_once = n_threads / warp_size;
      kernel<<<(n_lines + n_at_once - 1) / n_at_once, n_threads, 0, CudaRuntime::stream()>>>(
        n_lines, sweep);
      CudaRuntime::check_launch("work along lines of elements");
      return true;
    }

    [[maybe_unused]] const bool registered = [] {
      WorkRegistry<LineSweep<double>>::cuda = &run<double>;
      WorkRegistry<LineSweep<float>>::cuda  = &run<float>;
      return true;
    }();
  } // namespace
} // namespace Saltus
