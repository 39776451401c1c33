// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_tile_operands_cuh
#define saltus_cuda_operators_spaces_tile_operands_cuh

// Tables of operands B for products with tiles of modes and points, see element_warp.cuh and
// tensor_laplace.cuh.

#include <saltus/base/device/host_device.h>

namespace Saltus::CudaKernels
{
  /// A table in memory that is filled from its begin.
  class OperandList
  {
  public:
    explicit OperandList(double *begin)
      : next(begin)
    {}

    void
    push_back(const double entry)
    {
      *next++ = entry;
    }

    const double *
    end() const
    {
      return next;
    }

  private:
    double *next;
  };

  /// Append the operand of a tile, of `entry(row, column)` below 8, to a table: `[lane][step]`.
  template <typename Table, typename Entry>
  void
  append_operand(Table &table, const Entry &entry)
  {
    // Column n of D is point or mode 4 (n % 2) + n / 2 of its tile.
    SALTUS_UNROLL_ON_DEVICE(1)
    for (int i = 0; i < 64; ++i)
      {
        const int lane = i / 2, step = i % 2;
        table.push_back(entry(4 * step + lane % 4, 4 * (lane / 4 % 2) + lane / 8));
      }
  }

  /// Append those of all tiles of @p n_modes modes, with `entry(first mode of the tile, row,
  /// column)`: `[j][lane][step]`.
  template <typename Table, typename Entry>
  void
  append_operands(Table &table, const int n_modes, const Entry &entry)
  {
    SALTUS_UNROLL_ON_DEVICE(1)
    for (int j = 0; j < n_modes; j += 8)
      append_operand(table, [&](const int row, const int column) { return entry(j, row, column); });
  }
} // namespace Saltus::CudaKernels

#endif
