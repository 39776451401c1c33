// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_csr_kernel_h
#define saltus_base_algebra_block_csr_kernel_h

#include <saltus/base/device/host_device.h>
#include <saltus/base/device/launch.h>

#include <cmath>
#include <cstddef>

namespace Saltus
{
  /// How many numbers a block takes: every block begins where pairs of numbers do.
  SALTUS_HOST_DEVICE
  std::size_t
  room_for_block(const std::size_t n_rows, const std::size_t n_columns)
  {
    return (n_rows * n_columns + 1) / 2 * 2;
  }

  /// A matrix of dense blocks in the memory of a device, see BlockSparsity and BlockCSRMatrix.
  template <typename Number>
  struct BlockCSRArrays
  {
    const int         *first_rows   = nullptr; ///< of the rank's own elements and its ghosts
    const int         *row_starts   = nullptr;
    const int         *columns      = nullptr;
    const std::size_t *block_starts = nullptr;
    const Number      *values       = nullptr;

    /// Rows of an element.
    SALTUS_HOST_DEVICE
    int
    size(const int element) const
    {
      return first_rows[element + 1] - first_rows[element];
    }
  };

  /// `dst = alpha A src + beta other`, work for launch() that rows of blocks do. @p other is not
  /// read if beta is 0, and may be @p dst.
  template <typename Number>
  struct BlockProduct
  {
    BlockCSRArrays<Number> matrix;
    Number                 alpha, beta;
    const Number          *src, *other;
    Number                *dst;

    /// What becomes of the sum over a row.
    SALTUS_HOST_DEVICE
    void
    finish(const int row, const Number sum) const
    {
      dst[row] = beta == Number(0) ? alpha * sum : alpha * sum + beta * other[row];
    }
  };

  /// The inverses of the diagonal blocks of a matrix, work for launch() that block rows do. By
  /// Gauss and Jordan without a choice of pivots: the symmetric part of a block must be positive
  /// definite.
  struct InvertDiagonalBlocks
  {
    BlockCSRArrays<double> matrix, inverse;  ///< the latter has the diagonal blocks alone
    double                *values = nullptr; ///< of the inverse

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int     n    = matrix.size(element);
      const double *from = matrix.values + matrix.block_starts[matrix.row_starts[element + 1] - 1];
      double       *a    = values + inverse.block_starts[element];
      for (int i = 0; i < n * n; ++i)
        a[i] = from[i];
      for (int k = 0; k < n; ++k)
        {
          const double pivot = 1. / a[k * n + k];
          a[k * n + k]       = 1.;
          for (int j = 0; j < n; ++j)
            a[j * n + k] *= pivot;
          for (int i = 0; i < n; ++i)
            if (i != k)
              {
                const double factor = a[k * n + i];
                a[k * n + i]        = 0.;
                for (int j = 0; j < n; ++j)
                  a[j * n + i] -= factor * a[j * n + k];
              }
        }
    }
  };

  /// The roots L of the symmetric parts S of the diagonal blocks, \f$L L^T = S\f$, by Cholesky,
  /// work for launch() that block rows do. All are block diagonal matrices of one pattern.
  struct FactorDiagonalBlocks
  {
    BlockCSRArrays<double> matrix, diagonal;
    double                *root = nullptr, *transposed = nullptr; ///< \f$L, L^T\f$
    double                *inverse = nullptr, *inverse_transposed = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int         n     = matrix.size(element);
      const std::size_t first = diagonal.block_starts[element];
      const double     *A = matrix.values + matrix.block_starts[matrix.row_starts[element + 1] - 1];
      double           *L = root + first, *W = inverse + first;
      for (int j = 0; j < n; ++j)
        {
          bool is_lost = false;
          for (int i = j; i < n; ++i)
            {
              double sum = .5 * (A[j * n + i] + A[i * n + j]);
              for (int k = 0; k < j; ++k)
                sum -= L[k * n + i] * L[k * n + j];
              if (i == j)
                {
                  is_lost      = !(sum > 1e-13 * A[j * n + j]);
                  L[j * n + j] = ::sqrt(is_lost ? A[j * n + j] : sum);
                }
              else
                L[j * n + i] = is_lost ? 0. : sum / L[j * n + j];
            }
        }
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i)
          {
            double sum = i == j ? 1. : 0.;
            for (int k = j; k < i; ++k)
              sum -= L[k * n + i] * W[j * n + k];
            W[j * n + i] = sum / L[i * n + i];
          }
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          {
            const bool upper                      = i <= j;
            transposed[first + j * n + i]         = upper ? L[i * n + j] : 0.;
            inverse_transposed[first + j * n + i] = upper ? W[i * n + j] : 0.;
          }
    }
  };

  /// \f$L_i^{-1} A_{ij} L_j^{-T}\f$ of all blocks, work for launch() that columns of blocks do:
  /// number `b n + j` is column j of block b, if it has so many of the n.
  template <typename Number>
  struct ScaleBlocks
  {
    static constexpr int max_size = 165; ///< that of the highest polytopic degree

    int                    n_columns = 0;       ///< n, at most max_size
    const int             *rows      = nullptr; ///< `[block]`: element whose row it is in
    BlockCSRArrays<double> matrix, diagonal;
    const double          *inverse = nullptr; ///< \f$L^{-1}\f$
    Number                *values  = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int number) const
    {
      const int b = number / n_columns, j = number % n_columns;
      const int row = rows[b], column = matrix.columns[b];
      const int n = matrix.size(row), m = matrix.size(column);
      if (j >= m)
        return;
      const double *A = matrix.values + matrix.block_starts[b];
      const double *W = inverse + diagonal.block_starts[row];
      const double *V = inverse + diagonal.block_starts[column];
      double        sums[max_size]; // a column of A L^{-T}
      for (int i = 0; i < n; ++i)
        sums[i] = 0;
      for (int k = 0; k <= j; ++k)
        for (int i = 0; i < n; ++i)
          sums[i] += A[k * n + i] * V[k * m + j];
      for (int i = 0; i < n; ++i)
        {
          double sum = 0;
          for (int k = 0; k <= i; ++k)
            sum += W[k * n + i] * sums[k];
          values[matrix.block_starts[b] + j * n + i] = static_cast<Number>(sum);
        }
    }
  };

  /// Entries of vectors of two numbers of unknowns an element, of which the smaller ones are the
  /// first: copied from the larger to the smaller or, to the larger, added. Work for launch() that
  /// elements do.
  struct TransferLeadingEntries
  {
    const int *first_large = nullptr, *first_small = nullptr; ///< `[element]`, see BlockSparsity
    double    *large = nullptr, *small = nullptr;
    bool       adds = false; ///< to the larger

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int n = first_small[element + 1] - first_small[element];
      double   *l = large + first_large[element], *s = small + first_small[element];
      for (int i = 0; i < n; ++i)
        if (adds)
          l[i] += s[i];
        else
          s[i] = l[i];
    }
  };

  /// `to[i] = from[places[i]]`, work for launch() that entries do.
  template <typename Number>
  struct SelectEntries
  {
    const std::size_t *places = nullptr;
    const Number      *from   = nullptr;
    Number            *to     = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      to[i] = from[places[i]];
    }
  };

  using BlockWork = WorkList<InvertDiagonalBlocks,
                             FactorDiagonalBlocks,
                             ScaleBlocks<double>,
                             ScaleBlocks<float>,
                             TransferLeadingEntries,
                             SelectEntries<double>,
                             SelectEntries<float>>;

  using BlockProducts = WorkList<BlockProduct<double>, BlockProduct<float>>;
} // namespace Saltus

#endif
