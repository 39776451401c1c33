// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_line_sweep_h
#define saltus_operators_blocks_line_sweep_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/host_device.h>

namespace Saltus
{
  /// Forward or backward substitution with block bidiagonal matrices along lines of elements. With
  /// the elements of a line numbered k = 0, 1, ... and a full matrix \f$G_k\f$ for each but the
  /// first, \f[ x_k \leftarrow x_k - G_k^T x_{k-1} \quad (k = 1, 2, \ldots) \qquad\text{or}\qquad
  ///            x_{k-1} \leftarrow x_{k-1} - G_k x_k \quad (k = \ldots, 2, 1). \f]
  /// The lines are independent of each other, and so are the rows of a step. Work for launch().
  template <typename Number>
  struct LineSweep
  {
    int        n_modes;
    const int *starts = nullptr; ///< `[line]`, and the end of the last: its places in what follows
    const int *elements   = nullptr; ///< `[place]`
    const Number *factors = nullptr; ///< `[place][i][j]`: G
    bool          forward = true;
    Number       *x       = nullptr; ///< `[block][m][l]`

    /// Do one line.
    /// @param team of threads that share the work: their number `size()`, the number `rank()` of
    /// this one, and `synchronize()`
    template <typename Team>
    SALTUS_HOST_DEVICE
    void
    run(const int line, const Team &team) const
    {
      const int begin = starts[line], end = starts[line + 1];
      const int row_stride = forward ? 1 : n_modes, column_stride = forward ? n_modes : 1;
      for (int step = 1; step < end - begin; ++step)
        {
          const int     later  = forward ? begin + step : end - step; // of two places
          const int     from   = elements[forward ? later - 1 : later];
          const int     to     = elements[forward ? later : later - 1];
          const Number *matrix = factors + static_cast<std::size_t>(later) * n_modes * n_modes;
          const Number *of_x   = x + CoefficientLayout{n_modes, 1}.index(from, 0);
          Number       *result = x + CoefficientLayout{n_modes, 1}.index(to, 0);
          for (int row = team.rank(); row < n_modes; row += team.size())
            {
              Number sum = 0;
              for (int m = 0; m < n_modes; ++m)
                sum += matrix[row * row_stride + m * column_stride] * of_x[m * block_size];
              result[row * block_size] -= sum;
            }
          team.synchronize();
        }
    }

    /// A program has room for 4, 16 or 32 modes, or takes any number.
    template <typename Launch>
    void
    launch_on_gpu(const std::size_t n_lines, const Launch &launch) const
    {
      launch("LineSweepProgram",
             n_lines,
             *this,
             n_modes <= 4    ? 4
             : n_modes <= 16 ? 16
             : n_modes <= 32 ? 32
                             : 0);
    }

    /// Do one line with a team of one thread.
    SALTUS_HOST_DEVICE
    void
    operator()(const int line) const
    {
      run(line, SingleThread());
    }

  private:
    struct SingleThread
    {
      SALTUS_HOST_DEVICE
      int
      rank() const
      {
        return 0;
      }

      SALTUS_HOST_DEVICE
      int
      size() const
      {
        return 1;
      }

      SALTUS_HOST_DEVICE
      void
      synchronize() const
      {}
    };
  };
} // namespace Saltus

#endif
