// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_entries_h
#define saltus_operators_blocks_element_entries_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>

/// Where the numbers of elements are on which an operation of element_kernels.h works.
namespace Saltus
{
  namespace ElementOperation
  {
    SALTUS_HOST_DEVICE
    int
    entry(const int row, const int column)
    {
      return row * (row + 1) / 2 + column;
    }

    /// Position in `[block][i][l]`.
    SALTUS_HOST_DEVICE
    std::size_t
    position(const int block, const int i, const int n, const int lane)
    {
      return (static_cast<std::size_t>(block) * n + i) * block_size + lane;
    }

    template <typename T, typename Number>
    SALTUS_HOST_DEVICE
    T
    read(const Number *from)
    {
      T value;
      load(value, from);
      return value;
    }
  } // namespace ElementOperation
} // namespace Saltus

#endif
