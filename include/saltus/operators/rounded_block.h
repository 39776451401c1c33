// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_rounded_block_h
#define saltus_operators_rounded_block_h

#include <saltus/base/block_layout.h>
#include <saltus/base/lanes.h>

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
  } // namespace RoundedBlock
} // namespace Saltus

#endif
