// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_sparse_product_h
#define saltus_base_algebra_sparse_product_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// A matrix in compressed rows, in the memory of a device; see CompressedRows.
  template <typename Number>
  struct SparseArrays
  {
    std::size_t   n_nonzeros = 0;
    const int    *row_starts = nullptr;
    const int    *columns    = nullptr;
    const Number *values     = nullptr;
  };

  /// Functions of the sum over a row, `(A src)(row)`, whose values are those of `dst`: `at(row)`
  /// reads the numbers of the row, so that a GPU can do this before it has the sum, and returns the
  /// function.
  namespace RowSum
  {
    /// `alpha sum + beta other`
    template <typename Number>
    struct Combine
    {
      Number        alpha, beta;
      const Number *other;

      SALTUS_HOST_DEVICE
      auto
      at(const std::size_t row) const
      {
        const Number added = beta == Number(0) ? Number(0) : beta * other[row];
        return [factor = alpha, added](const Number sum) { return factor * sum + added; };
      }
    };

    /// `x + weight (b - sum)`
    template <typename Number>
    struct Smooth
    {
      const Number *x;
      Number        weight;
      const Number *b;

      SALTUS_HOST_DEVICE
      auto
      at(const std::size_t row) const
      {
        return [x = x[row], weight = weight, b = b[row]](const Number sum) {
          return x + weight * (b - sum);
        };
      }
    };
  } // namespace RowSum

  /// `dst = result(A src)`, work for launch() that rows do.
  template <typename Number, typename Result>
  struct SparseProduct
  {
    SparseArrays<Number> matrix;
    const Number        *src;
    Result               result;
    Number              *dst;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t row) const
    {
      Number sum = 0;
      for (int k = matrix.row_starts[row]; k < matrix.row_starts[row + 1]; ++k)
        sum += matrix.values[k] * src[matrix.columns[k]];
      dst[row] = result.at(row)(sum);
    }

    /// With one thread a row, or, as long as they are not enough to occupy a device and rows have
    /// entries for more of them, with twice as many, up to a warp. (A thread that adds several
    /// entries has more of them under way than several threads with one each.)
    template <typename Launch>
    void
    launch_on_gpu(const std::size_t n_rows, const Launch &launch) const
    {
      constexpr std::size_t n_enough = 150000; // threads
      int                   per_row  = 1;
      while (per_row < 32 && n_rows * per_row < n_enough &&
             matrix.n_nonzeros >= 3 * per_row * n_rows)
        per_row *= 2;
      launch("SparseProductProgram", n_rows, *this, per_row);
    }
  };
} // namespace Saltus

#endif
