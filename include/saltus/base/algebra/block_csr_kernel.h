// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_csr_kernel_h
#define saltus_base_algebra_block_csr_kernel_h

#include <saltus/base/device/host_device.h>
#include <saltus/base/device/launch.h>

#include <cstddef>

namespace Saltus
{
  /// A matrix of dense blocks in the memory of a device, see BlockSparsity and BlockCSRMatrix.
  template <typename Number>
  struct BlockCSRArrays
  {
    const int         *first_rows   = nullptr;
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

  using BlockProducts = WorkList<BlockProduct<double>, BlockProduct<float>>;
} // namespace Saltus

#endif
