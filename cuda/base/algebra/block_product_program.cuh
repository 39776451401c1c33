// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_algebra_block_product_program_cuh
#define saltus_cuda_base_algebra_block_product_program_cuh

// Products with matrices of dense blocks: a warp a block row. Lanes read the numbers of a block one
// after the other, 16 bytes at a time. With n rows, a lane that goes on by a multiple of n numbers
// stays in its rows. So a warp reads at once as many whole columns as fit into it. Where columns do
// not end with 16 bytes, it reads cycles of two or four columns, which do. The sums of the lanes
// make as many columns, which are added in the end. Where a cycle would be too long, lanes read
// fewer bytes at a time. A warp reads several small blocks at once, a group of lanes each.

#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/device/launch_shape.h>

namespace Saltus::CudaKernels
{
  constexpr int max_cycle = 64; ///< reads of lanes whose sums are added at once

  template <typename Number, int Size>
  struct alignas(Size * sizeof(Number)) Packed
  {
    Number numbers[Size];
  };

  /// The data of a block for a warp. Each lane reads those of another block.
  template <typename Number>
  struct BlockOfRow
  {
    __device__
    BlockOfRow(const BlockProduct<Number> &product, const int block)
    {
      const auto &A      = product.matrix;
      const int   column = A.columns[block];
      n_columns          = A.size(column);
      values             = A.values + A.block_starts[block];
      src                = product.src + A.first_rows[column];
    }

    /// The data that @p lane has read.
    __device__ BlockOfRow
    of(const int lane) const
    {
      const auto shuffled = [lane](const auto *pointer) {
        return reinterpret_cast<const Number *>(
          __shfl_sync(~0U, reinterpret_cast<unsigned long long>(pointer), lane));
      };
      BlockOfRow result = *this;
      result.n_columns  = __shfl_sync(~0U, n_columns, lane);
      result.values     = shuffled(values);
      result.src        = shuffled(src);
      return result;
    }

    int           n_columns;
    const Number *values, *src;
  };

  /// The sums of a lane.
  /// @tparam Width numbers it reads at a time
  /// @tparam Whole whether these are of one column
  template <typename Number, int Width, bool Whole>
  struct RowSums
  {
    /// Add the products of a block.
    __device__ void
    add(const BlockOfRow<Number> &block)
    {
#pragma unroll 4
      for (int j = first_column; j < block.n_columns; j += stride)
        {
          const int number = j * n_rows + first_number;
          if (!Whole && number >= block.n_columns * n_rows)
            break;
          const auto values =
            *reinterpret_cast<const Packed<Number, Width> *>(block.values + number);
          const Number factor = Whole ? block.src[j] : 0;
          for (int i = 0; i < Width; ++i)
            if (Whole)
              sums[i] += values.numbers[i] * factor;
            else if (const int column = j + (first_number + i) / n_rows; column < block.n_columns)
              sums[i] += values.numbers[i] * block.src[column];
        }
    }

    int    n_rows, first_number, first_column, stride;
    Number sums[Width] = {};
  };

  /// @param columns room for the sums of this warp
  template <int Width, bool Whole, typename Number>
  __device__ void
  multiply_row(const BlockProduct<Number> &product, const int element, Number *columns)
  {
    const auto &A        = product.matrix;
    const int   lane     = threadIdx.x % 32;
    const int   n        = A.size(element);
    const int   n_whole  = Whole ? 1 : n % 2 == 0 ? Width / 2 : Width; // columns of a cycle
    const int   cycle    = n * n_whole / Width;                        // reads
    int         n_groups = 1;
    while (n_groups < 32 && 2 * n_groups * n * n <= 32 * Width)
      n_groups *= 2;
    const int n_lanes   = 32 / n_groups;
    const int n_cycles  = ::max(1, n_lanes / cycle); // of a group
    const int n_columns = n_cycles * n_whole;
    const int begin = A.row_starts[element], end = A.row_starts[element + 1];
    for (int chunk = 0; chunk < cycle; chunk += max_cycle)
      {
        const int chunk_end = ::min(cycle, chunk + max_cycle);
        for (int first = chunk; first < chunk_end; first += 32)
          {
            const int  group = lane / n_lanes;
            const int  read  = cycle < 32 ? lane % n_lanes % cycle : first + lane;
            const int  copy  = cycle < 32 ? lane % n_lanes / cycle : 0;
            const bool works = copy < n_cycles && read < chunk_end;

            RowSums<Number, Width, Whole> row{n, read * Width, copy * n_whole, n_columns};
            for (int first_block = begin; first_block < end; first_block += 32)
              {
                const BlockOfRow<Number> mine(product, ::min(first_block + lane, end - 1));
                const int                n_blocks = ::min(32, end - first_block);
                for (int b = 0; b < n_blocks; b += n_groups)
                  {
                    const BlockOfRow<Number> block = mine.of(b + group);
                    if (works && b + group < n_blocks)
                      row.add(block);
                  }
              }
            if (works)
              for (int i = 0; i < Width; ++i)
                columns[((group * n_cycles + copy) * cycle + read - chunk) * Width + i] =
                  row.sums[i];
          }
        __syncwarp();
        const int first_row = chunk * Width;
        for (int i = lane; i < ::min(n - first_row, max_cycle * Width); i += 32)
          {
            Number sum = 0;
            for (int c = 0; c < n_groups * n_columns; ++c)
              sum += columns[c * n + i];
            product.finish(A.first_rows[element] + first_row + i, sum);
          }
        __syncwarp();
      }
  }

  /// @tparam Width numbers of 16 bytes, or fewer
  template <int Width, typename Number>
  __device__ void
  multiply_row(const BlockProduct<Number> &product, const int element, Number *columns)
  {
    const int n = product.matrix.size(element);
    if (n % Width == 0)
      multiply_row<Width, true>(product, element, columns);
    else if constexpr (Width > 1)
      {
        if (n <= (n % 2 == 0 ? 2 : 1) * max_cycle)
          multiply_row<Width, false>(product, element, columns);
        else
          multiply_row<Width / 2>(product, element, columns);
      }
  }

  template <typename Product>
  struct BlockProductProgram;

  template <typename Number>
  struct BlockProductProgram<BlockProduct<Number>>
  {
    static constexpr int n_warps = 4;

    static constexpr LaunchShape shape{32 * n_warps, n_warps, 8};

    static __device__ __forceinline__ void
    run(const int n_elements, const BlockProduct<Number> &product)
    {
      constexpr int     width = 16 / sizeof(Number);
      __shared__ Number columns[n_warps][max_cycle * width];
      const int         element = blockIdx.x * n_warps + threadIdx.x / 32;
      if (element < n_elements)
        multiply_row<width>(product, element, columns[threadIdx.x / 32]);
    }
  };
} // namespace Saltus::CudaKernels

#endif
