// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_sparse_kernel_h
#define saltus_base_sparse_kernel_h

#include <cstddef>
#include <memory>

namespace Saltus
{
  /// A matrix in compressed rows, in the memory of a device; see CompressedRows.
  template <typename Number>
  struct SparseArrays
  {
    std::size_t   n_rows     = 0;
    std::size_t   n_columns  = 0;
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

    /// `dst = alpha A src + beta other`. @p other may be @p dst, but not overlap it otherwise; it
    /// is not read if @p beta is 0. Does not wait, and can be recorded in a graph.
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

    /// Bytes on the device beside the matrix.
    virtual std::size_t
    buffer_size() const = 0;
  };

  /// Products by cuSPARSE, steps of a smoother by a kernel, in cuda/base/sparse_matrix.cu. The
  /// arrays must outlive it.
  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &arrays);
} // namespace Saltus

#endif
