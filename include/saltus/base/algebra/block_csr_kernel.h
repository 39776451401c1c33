// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_csr_kernel_h
#define saltus_base_algebra_block_csr_kernel_h

#include <saltus/base/device/host_device.h>
#include <saltus/base/device/launch.h>

#include <cmath>
#include <cstddef>

namespace Saltus
{
  /// How many numbers a block takes: every block begins where four numbers do, so that 16 bytes can
  /// be read at a time in single precision, too.
  SALTUS_HOST_DEVICE
  std::size_t
  room_for_block(const std::size_t n_rows, const std::size_t n_columns)
  {
    return (n_rows * n_columns + 3) / 4 * 4;
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

    template <typename Launch>
    void
    launch_on_gpu(const std::size_t n_elements, const Launch &launch) const
    {
      launch("BlockProductProgram", n_elements, *this);
    }

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

  /// Triangular factors of the diagonal blocks D of a matrix, \f$D = L R\f$ with the same diagonal,
  /// by Crout without a choice of pivots, and their inverses: work for launch() that block rows do.
  /// The symmetric part of a block must be positive definite. All are block diagonal matrices of
  /// one pattern.
  struct FactorDiagonalBlocks
  {
    BlockCSRArrays<double> matrix, diagonal;
    bool    is_symmetric = false; ///< factor the symmetric part: then \f$R = L^T\f$, by Cholesky
    double *left = nullptr, *right = nullptr; ///< \f$L, R\f$
    double *inverse_left = nullptr, *inverse_right = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int         n     = matrix.size(element);
      const std::size_t first = diagonal.block_starts[element];
      const double     *A = matrix.values + matrix.block_starts[matrix.row_starts[element + 1] - 1];
      double           *L = left + first, *R = right + first;
      for (int j = 0; j < n; ++j)
        {
          const double pivot   = rest(n, A, L, R, j, j, j);
          const bool   is_lost = !(pivot > 1e-13 * A[j * n + j]);
          const double root    = ::sqrt(is_lost ? A[j * n + j] : pivot);
          L[j * n + j] = R[j * n + j] = root;
          for (int i = j + 1; i < n; ++i)
            {
              L[j * n + i] = is_lost ? 0. : rest(n, A, L, R, i, j, j) / root;
              R[i * n + j] = is_lost ? 0. : rest(n, A, L, R, j, i, j) / root;
            }
        }
      // Both by the same sums, so that they are transposed exactly if the factors are.
      double *W = inverse_left + first, *V = inverse_right + first;
      for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i)
          {
            double of_left = i == j ? 1. : 0., of_right = of_left;
            for (int k = j; k < i; ++k)
              {
                of_left -= L[k * n + i] * W[j * n + k];
                of_right -= R[i * n + k] * V[k * n + j];
              }
            W[j * n + i] = of_left / L[i * n + i];
            V[i * n + j] = of_right / R[i * n + i];
          }
    }

    /// Entry (i, j) of the block without the product of the first @p n_done columns and rows.
    SALTUS_HOST_DEVICE
    double
    rest(const int     n,
         const double *A,
         const double *L,
         const double *R,
         const int     i,
         const int     j,
         const int     n_done) const
    {
      double sum = is_symmetric ? .5 * (A[j * n + i] + A[i * n + j]) : A[j * n + i];
      for (int k = 0; k < n_done; ++k)
        sum -= L[k * n + i] * R[j * n + k];
      return sum;
    }
  };

  /// How far the unknowns of elements are from being dependent: the smallest pivot of the
  /// decomposition \f$L D L^T\f$ of the symmetric part of each diagonal block over the diagonal
  /// entry that stood there, both without their signs. Work for launch() that block rows do.
  struct SmallestPivots
  {
    BlockCSRArrays<double> matrix, diagonal;  ///< the latter has the diagonal blocks alone
    double                *factors = nullptr; ///< room for these
    double                *ratios  = nullptr; ///< `[element]`; -1 where an entry is not finite

    SALTUS_HOST_DEVICE
    void
    operator()(const int element) const
    {
      const int     n = matrix.size(element);
      const double *A = matrix.values + matrix.block_starts[matrix.row_starts[element + 1] - 1];
      double       *L = factors + diagonal.block_starts[element]; // D on its diagonal
      double       &smallest = ratios[element];
      smallest               = 1.;
      for (int j = 0; j < n; ++j)
        {
          const double pivot = rest(n, A, L, j, j);
          const double ratio = pivot == 0. ? 0. : ::fabs(pivot / A[j * n + j]);
          smallest           = ratio == ratio ? ::fmin(smallest, ratio) : -1.;
          if (!(smallest > 0.))
            return;
          L[j * n + j] = pivot;
          for (int i = j + 1; i < n; ++i)
            L[j * n + i] = rest(n, A, L, i, j) / pivot;
        }
    }

    /// Entry (i, j) without the product of the first j columns and rows.
    SALTUS_HOST_DEVICE
    double
    rest(const int n, const double *A, const double *L, const int i, const int j) const
    {
      double sum = .5 * (A[j * n + i] + A[i * n + j]);
      for (int k = 0; k < j; ++k)
        sum -= L[k * n + i] * L[k * n + j] * L[k * n + k];
      return sum;
    }
  };

  /// \f$L_i^{-1} A_{ij} R_j^{-1}\f$ of all blocks, work for launch() that columns of blocks do:
  /// number `b n + j` is column j of block b, if it has so many of the n.
  template <typename Number>
  struct ScaleBlocks
  {
    static constexpr int max_size = 165; ///< that of the highest polytopic degree

    int                    n_columns = 0;       ///< n, at most max_size
    const int             *rows      = nullptr; ///< `[block]`: element whose row it is in
    BlockCSRArrays<double> matrix, diagonal;
    const double          *left = nullptr, *right = nullptr; ///< \f$L^{-1}, R^{-1}\f$
    Number                *values = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int number) const
    {
      const int b = number / n_columns, j = number % n_columns;
      const int row = rows[b], column = matrix.columns[b];
      const int n = matrix.size(row), m = matrix.size(column);
      if (j >= m)
        return;
      const double *A      = matrix.values + matrix.block_starts[b];
      const double *W      = left + diagonal.block_starts[row];
      const double *V      = right + diagonal.block_starts[column];
      Number       *result = values + matrix.block_starts[b] + j * n;
      double        sums[max_size]; // a column of A R^{-1}
      int           i = 0;
      for (; i + width <= n; i += width)
        multiply<width>(n, A + i, j + 1, V + j * m, sums + i);
      for (; i < n; ++i)
        multiply<1>(n, A + i, j + 1, V + j * m, sums + i);
      // Above the diagonal L^{-1} is zero.
      for (i = 0; i + width <= n; i += width)
        multiply<width>(n, W + i, i + width, sums, result + i);
      for (; i < n; ++i)
        multiply<1>(n, W + i, i + 1, sums, result + i);
    }

    static constexpr int width = 4; ///< rows at a time, which compilers vectorize

    /// Some rows of a matrix times @p factors.
    /// @param columns of length @p n, from the first of the rows on
    template <int n_rows, typename Result>
    SALTUS_HOST_DEVICE
    static void
    multiply(const int     n,
             const double *columns,
             const int     n_factors,
             const double *factors,
             Result       *result)
    {
      double sums[n_rows] = {};
      for (int k = 0; k < n_factors; ++k)
        for (int i = 0; i < n_rows; ++i)
          sums[i] += columns[k * n + i] * factors[k];
      for (int i = 0; i < n_rows; ++i)
        result[i] = static_cast<Result>(sums[i]);
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

  using BlockProducts = WorkList<BlockProduct<double>, BlockProduct<float>>;
} // namespace Saltus

#endif
