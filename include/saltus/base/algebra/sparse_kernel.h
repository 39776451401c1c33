// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_sparse_kernel_h
#define saltus_base_algebra_sparse_kernel_h

#include <saltus/base/device/host_device.h>

#include <cstddef>
#include <memory>

namespace Saltus
{
  /// A matrix in compressed rows, in the memory of a device; see CompressedRows.
  template <typename Number>
  struct SparseArrays
  {
    std::size_t   n_rows     = 0;
    std::size_t   n_nonzeros = 0; ///< not 0
    const int    *row_starts = nullptr;
    const int    *columns    = nullptr;
    const Number *values     = nullptr;
  };

  /// Products with one matrix on one kind of device.
  template <typename Number>
  class SparseKernel
  {
  public:
    virtual ~SparseKernel() = default;

    /// `dst = alpha A src + beta other`. @p dst does not overlap @p src; @p other may be @p dst,
    /// but not overlap it otherwise; it is not read if @p beta is 0. Does not wait, and can be
    /// recorded in a graph.
    virtual void
    apply(const Number  alpha,
          const Number *src,
          const Number  beta,
          const Number *other,
          Number       *dst) const = 0;

    /// `dst = x + weight (b - A x)` with a square matrix, in one pass. @p dst overlaps nothing
    /// else. Does not wait, and can be recorded in a graph.
    virtual void
    smoothing_step(const Number *x, const Number weight, const Number *b, Number *dst) const = 0;
  };

  /// In cuda/base/algebra/sparse_matrix.cu: so many neighbouring threads do a row as its entries
  /// ask for. The arrays must outlive it.
  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &arrays);

  /// What both back ends do with the sum over a row, `(A src)(row)`: `at(row)` reads what belongs
  /// to the row, so that a GPU can do this before it has the sum, and returns the function of the
  /// sum whose value becomes that of `dst`.
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
} // namespace Saltus

#endif
