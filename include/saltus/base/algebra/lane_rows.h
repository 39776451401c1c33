// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_lane_rows_h
#define saltus_base_algebra_lane_rows_h

#include <saltus/base/algebra/pack.h>

#include <utility>

namespace Saltus
{
  /// Rows of @p n numbers, one a SIMD lane, to packs `[i]` with number i of every lane's row, and
  /// back. Both @p n and @p width are powers of two. All numbers together are
  /// seen as `n` vectors that hold them in one of the orders `[lane][i]` and `[i][lane]`; one
  /// becomes the other by log2(n) perfect shuffles, each of which turns the digits of the binary
  /// position by one place.
  template <typename Number, int width, int n>
  class LaneRows
  {
    static_assert((n & (n - 1)) == 0 && (width & (width - 1)) == 0, "powers of two");

    using T = Pack<Number, width>;

    template <int size>
    struct Part
    {
      typedef Number Vector __attribute__((vector_size(size * sizeof(Number))));
    };
    using Vector  = typename Part<width>::Vector;
    using Indices = std::make_integer_sequence<int, width>;

  public:
    /// @param rows where each lane's row begins
    static inline __attribute__((always_inline)) void
    load(const Number *const (&rows)[width], const int offset, T *packs)
    {
      Vector vectors[n];
      for (int k = 0; k < n; ++k)
        vectors[k] = n < width
                       ? join<width>(rows + k * (width / n), offset)
                       : join<width>(rows + k / (n / width), offset + k % (n / width) * width);
      for (int i = 1; i < n; i *= 2)
        {
          Vector before[n];
          for (int k = 0; k < n; ++k)
            before[k] = vectors[k];
          for (int k = 0; k < n / 2; ++k)
            {
              vectors[k]         = every_second<0>(before[2 * k], before[2 * k + 1], Indices());
              vectors[k + n / 2] = every_second<1>(before[2 * k], before[2 * k + 1], Indices());
            }
        }
      for (int k = 0; k < n; ++k)
        packs[k].v = vectors[k];
    }

    /// Write `[lane][i]`.
    static inline __attribute__((always_inline)) void
    store(const T *packs, Number *rows)
    {
      Vector vectors[n];
      for (int k = 0; k < n; ++k)
        vectors[k] = packs[k].v;
      for (int i = 1; i < n; i *= 2)
        {
          Vector before[n];
          for (int k = 0; k < n; ++k)
            before[k] = vectors[k];
          for (int k = 0; k < n / 2; ++k)
            {
              vectors[2 * k]     = in_turn<0>(before[k], before[k + n / 2], Indices());
              vectors[2 * k + 1] = in_turn<width / 2>(before[k], before[k + n / 2], Indices());
            }
        }
      __builtin_memcpy(rows, vectors, sizeof(vectors));
    }

  private:
    /// @p size numbers from rows in turn.
    template <int size>
    static inline __attribute__((always_inline)) typename Part<size>::Vector
    join(const Number *const *rows, const int offset)
    {
      if constexpr (size <= n)
        {
          typename Part<size>::Vector part;
          __builtin_memcpy(&part, rows[0] + offset, sizeof(part));
          return part;
        }
      else
        return join(join<size / 2>(rows, offset),
                    join<size / 2>(rows + size / 2 / n, offset),
                    std::make_integer_sequence<int, size>());
    }

    template <typename Half, int... i>
    static inline __attribute__((always_inline)) auto
    join(const Half a, const Half b, std::integer_sequence<int, i...>)
    {
      return __builtin_shufflevector(a, b, i...);
    }

    template <int first, int... i>
    static inline __attribute__((always_inline)) Vector
    every_second(const Vector a, const Vector b, std::integer_sequence<int, i...>)
    {
      return __builtin_shufflevector(a, b, (2 * i + first)...);
    }

    template <int first, int... i>
    static inline __attribute__((always_inline)) Vector
    in_turn(const Vector a, const Vector b, std::integer_sequence<int, i...>)
    {
      return __builtin_shufflevector(a, b, (first + i / 2 + i % 2 * width)...);
    }
  };
} // namespace Saltus

#endif
