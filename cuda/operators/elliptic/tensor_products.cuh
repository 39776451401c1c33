// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_tensor_products_cuh
#define saltus_cuda_operators_elliptic_tensor_products_cuh

// Products of TensorLaplace with tables; see there for the operands.

#include <cuda/operators/spaces/tensor_core.cuh>
#include <cuda/operators/spaces/tile_operands.cuh>

namespace Saltus::CudaKernels
{
  /// Products that take modes to some quantities at some points, and back. Points come in groups of
  /// four, @p batch of them at a time; tile j of values holds the groups 2 j and 2 j + 1 of the
  /// list `[quantity][group]`.
  template <int first_quantity, int n_quantities, int batch, int n_modes>
  struct Products
  {
    static constexpr int n_groups     = n_quantities * batch;
    static constexpr int n_tiles      = divide_up(n_groups, 2);
    static constexpr int n_mode_tiles = divide_up(n_modes, 8);

    using Modes  = Pair[n_mode_tiles][2];
    using Values = Pair[n_tiles][2];

    /// Operands of a batch: `[there, back][tile][j][lane][step]`.
    static constexpr int n_operands = 2 * n_tiles * n_mode_tiles * 32;

    static constexpr int
    n_batches(const int n_points)
    {
      return divide_up(n_points, 4 * batch);
    }

    /// @param value `(quantity, q, m)`
    template <typename Value>
    static void
    append(OperandList &table, const int n_points, const Value &value)
    {
      for (int first = 0; first < n_points; first += 4 * batch)
        {
          // Column or row i of eight of a tile.
          const auto at = [&](const int tile, const int i, const int m) {
            const int group = 2 * tile + i / 4, k = group / batch;
            const int q = first + 4 * (group % batch) + i % 4;
            return k < n_quantities && q < n_points && m < n_modes ? value(first_quantity + k, q, m)
                                                                   : 0.;
          };
          for (int tile = 0; tile < n_tiles; ++tile)
            append_operands(table, n_modes, [&](const int j, const int row, const int column) {
              return at(tile, column, j + row);
            });
          for (int tile = 0; tile < n_tiles; ++tile)
            append_operands(table, n_modes, [&](const int j, const int row, const int column) {
              return at(tile, row, j + column);
            });
        }
    }

    /// Quantity @p k of the list in group @p group of the batch.
    static __device__ __forceinline__ Pair &
    at(Values &values, const int k, const int group)
    {
      return values[(k * batch + group) / 2][(k * batch + group) % 2];
    }

    /// @param modes,values of sets of 16 elements, for which operands are read once
    template <int n_sets>
    static __device__ __forceinline__ void
    interpolate(const double2 *from, const Modes (&modes)[n_sets], Values (&values)[n_sets])
    {
#pragma unroll
      for (int set = 0; set < n_sets; ++set)
#pragma unroll
        for (int i = 0; i < 4 * n_tiles; ++i)
          values[set][i / 4][i / 2 % 2][i % 2] = 0.;
#pragma unroll
      for (int j = 0; j < n_mode_tiles; ++j)
#pragma unroll
        for (int tile = 0; tile < n_tiles; ++tile)
          {
            const double2 b = __ldg(from + (tile * n_mode_tiles + j) * 32);
#pragma unroll
            for (int set = 0; set < n_sets; ++set)
              if (8 * j + 4 < n_modes)
                multiply_add(values[set][tile], modes[set][j][0], modes[set][j][1], b.x, b.y);
              else
                multiply_add(values[set][tile], modes[set][j][0], b.x);
          }
    }

    /// Add the products of @p values with these quantities of all modes.
    template <int n_sets>
    static __device__ __forceinline__ void
    test(const double2 *from, const Values (&values)[n_sets], Modes (&sums)[n_sets])
    {
#pragma unroll
      for (int tile = 0; tile < n_tiles; ++tile)
#pragma unroll
        for (int j = 0; j < n_mode_tiles; ++j)
          {
            const double2 b = __ldg(from + n_operands / 2 + (tile * n_mode_tiles + j) * 32);
#pragma unroll
            for (int set = 0; set < n_sets; ++set)
              if (2 * tile + 1 < n_groups)
                multiply_add(sums[set][j], values[set][tile][0], values[set][tile][1], b.x, b.y);
              else
                multiply_add(sums[set][j], values[set][tile][0], b.x);
          }
    }
  };
} // namespace Saltus::CudaKernels

#endif
