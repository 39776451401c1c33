// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_rounded_block_h
#define saltus_operators_blocks_rounded_block_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/algebra/lanes.h>
#include <saltus/base/device/static_for.h>

/// Symmetric positive definite matrices, one an element, whose entries off the diagonal have 16
/// bits: \f$ D (I + Q) D \f$ with a diagonal matrix D and, since the matrix is positive, entries of
/// Q between -1 and 1, in fixed point. It is as good a preconditioner as the exact matrix at half
/// of the memory traffic.
///
/// Of Q the part below the diagonal is stored row by row, two entries a word of 32 bits.
namespace Saltus
{
  /// See above; without matrices both pointers are nullptr.
  template <typename Number>
  struct RoundedBlockArrays
  {
    const Number       *scaling = nullptr; ///< `[block][m][l]`: D
    const unsigned int *words   = nullptr; ///< `[block][w][l]`: entries 2w (low bits) and 2w + 1
  };

  namespace RoundedBlock
  {
    /// Q is the stored number, less the offset, over the scale.
    constexpr int offset = 32768, scale = 32767;

    /// Rows of the largest matrices there are: hexahedra of degree 5.
    constexpr int max_rows = 216;

    /// Of a matrix with @p n rows.
    SALTUS_HOST_DEVICE
    constexpr int
    n_words(const int n)
    {
      return (n * (n - 1) / 2 + 1) / 2;
    }

    /// Number of the entry in row @p i and column @p j < i.
    SALTUS_HOST_DEVICE
    constexpr int
    entry(const int i, const int j)
    {
      return i * (i - 1) / 2 + j;
    }

    /// The row of an entry.
    SALTUS_HOST_DEVICE
    constexpr int
    row_of(const int entry)
    {
      int row = 1;
      while ((row + 1) * row / 2 <= entry)
        ++row;
      return row;
    }

    /// One of the entries in @p word, times the scale.
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    decode(const typename LaneWords<T>::Type word, const int half)
    {
      return LaneWords<T>::numbers((word >> (16 * half)) & 0xffff) - T(offset);
    }

    /// @param q between -1 and 1
    template <typename Number>
    SALTUS_HOST_DEVICE
    unsigned int
    encode(const Number q, const int half)
    {
      return static_cast<unsigned int>(q * scale + (offset + Number(0.5))) << (16 * half);
    }

    /// `x = D (I + Q) D x` for one element with @p n modes, which are known at compile time.
    /// @param scaling,words those of the element
    template <int n, typename T, typename Number>
    SALTUS_HOST_DEVICE
    void
    multiply(const Number *scaling, const unsigned int *words, T *x)
    {
      T sum[n];
      static_for<n>([&](auto m) SALTUS_INLINE_LAMBDA {
        T d;
        load(d, scaling + m.value * block_size);
        x[m.value]   = d * x[m.value];
        sum[m.value] = T(Number(0));
      });
      static_for<n_words(n)>([&](auto w) SALTUS_INLINE_LAMBDA {
        const auto word = LaneWords<T>::load(words + w.value * block_size);
        static_for<2>([&](auto half) SALTUS_INLINE_LAMBDA {
          constexpr int number = 2 * decltype(w)::value + decltype(half)::value;
          constexpr int i = row_of(number), j = number - entry(i, 0);
          if constexpr (i < n)
            {
              const T q = decode<T>(word, half.value);
              sum[i]    = sum[i] + q * x[j];
              sum[j]    = sum[j] + q * x[i];
            }
        });
      });
      static_for<n>([&](auto m) SALTUS_INLINE_LAMBDA {
        T d;
        load(d, scaling + m.value * block_size);
        x[m.value] = d * (x[m.value] + T(Number(1) / scale) * sum[m.value]);
      });
    }

    /// The same with a number of modes, at most max_rows, that is not.
    template <typename T, typename Number>
    SALTUS_HOST_DEVICE
    void
    multiply(const int n, const Number *scaling, const unsigned int *words, T *x)
    {
      T sum[max_rows];
      for (int i = 0; i < n; ++i)
        {
          T d;
          load(d, scaling + i * block_size);
          x[i]   = d * x[i];
          sum[i] = T(Number(0));
          for (int j = 0; j < i; ++j)
            {
              const int e = entry(i, j);
              const T   q = decode<T>(LaneWords<T>::load(words + e / 2 * block_size), e % 2);
              sum[i]      = sum[i] + q * x[j];
              sum[j]      = sum[j] + q * x[i];
            }
        }
      for (int i = 0; i < n; ++i)
        {
          T d;
          load(d, scaling + i * block_size);
          x[i] = d * (x[i] + T(Number(1) / scale) * sum[i]);
        }
    }
  } // namespace RoundedBlock
} // namespace Saltus

#endif
