// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/sparse_kernel.h>
#include <saltus/base/device/cuda_runtime.h>

#include <cuda/base/device/early_launch.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int         n_threads = 128;
    constexpr std::size_t n_enough  = 150000; ///< threads

    /// `dst = result(A src)`, a row by @p per_row neighbouring threads, always in the same order.
    /// Cycles of multigrid are chains of such kernels, many of them short: what does not depend on
    /// the kernel before, the row and its first entries, is read while that one still runs.
    template <int per_row, typename Number, typename Result>
    __global__ void
    __launch_bounds__(n_threads) row_kernel(const SparseArrays<Number> matrix,
                                            const Number              *src,
                                            const Result               result,
                                            Number                    *dst)
    {
      CudaRuntime::let_next_kernel_begin();
      const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * n_threads + threadIdx.x;
      const int         rank   = thread % per_row;
      const bool        is_row = thread / per_row < matrix.n_rows;
      // Threads beyond the last row repeat it: all of a warp take part in the sums below.
      const std::size_t row       = is_row ? thread / per_row : matrix.n_rows - 1;
      const int         end       = matrix.row_starts[row + 1];
      int               k         = matrix.row_starts[row] + rank;
      const bool        has_entry = k < end;
      const Number      value     = has_entry ? matrix.values[k] : Number(0);
      const int         column    = has_entry ? matrix.columns[k] : 0;
      CudaRuntime::wait_for_kernel_before();
      const auto of_row = result.at(row);
      Number     sum    = has_entry ? value * src[column] : Number(0);
      for (k += per_row; k < end; k += per_row)
        sum += matrix.values[k] * src[matrix.columns[k]];
      for (int distance = per_row / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance, per_row);
      if (is_row && rank == 0)
        dst[row] = of_row(sum);
    }

    template <typename Number>
    class CudaSparseKernel : public SparseKernel<Number>
    {
    public:
      explicit CudaSparseKernel(const SparseArrays<Number> &arrays)
        : matrix(arrays)
      {}

      void
      apply(const Number  alpha,
            const Number *src,
            const Number  beta,
            const Number *other,
            Number       *dst) const override
      {
        launch<1>(src, RowSum::Combine<Number>{alpha, beta, other}, dst);
      }

      void
      smoothing_step(const Number *x,
                     const Number  weight,
                     const Number *b,
                     Number       *dst) const override
      {
        launch<1>(x, RowSum::Smooth<Number>{x, weight, b}, dst);
      }

    private:
      /// With @p per_row threads a row, or, as long as they are not enough to occupy a device and
      /// rows have entries for more of them, with twice as many, up to a warp. (A thread that adds
      /// several entries has more of them under way than several threads with one each.)
      template <int per_row, typename Result>
      void
      launch(const Number *src, const Result &result, Number *dst) const
      {
        if constexpr (per_row < 32)
          if (matrix.n_rows * per_row < n_enough &&
              matrix.n_nonzeros >= 3 * per_row * matrix.n_rows)
            return launch<2 * per_row>(src, result, dst);
        const std::size_t n_blocks = (matrix.n_rows * per_row + n_threads - 1) / n_threads;
        CudaRuntime::launch_early(
          row_kernel<per_row, Number, Result>, n_blocks, n_threads, 0, matrix, src, result, dst);
      }

      const SparseArrays<Number> matrix;
    };
  } // namespace

  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &arrays)
  {
    return std::make_unique<const CudaSparseKernel<Number>>(arrays);
  }

  template std::unique_ptr<const SparseKernel<double>>
  make_cuda_sparse_kernel(const SparseArrays<double> &);
  template std::unique_ptr<const SparseKernel<float>>
  make_cuda_sparse_kernel(const SparseArrays<float> &);
} // namespace Saltus
