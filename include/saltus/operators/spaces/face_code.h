// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_face_code_h
#define saltus_operators_spaces_face_code_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/lanes.h>

namespace Saltus
{
  /// Number of the pair of vertices @p k < @p l of a simplex: (0, 1), (0, 2), ..., (1, 2), ...
  template <int dim>
  SALTUS_HOST_DEVICE
  constexpr int
  vertex_pair(const int k, const int l)
  {
    return k * (dim + 1) - k * (k + 1) / 2 + l - k - 1;
  }

  /// The pairs of a vertex and vertex @p j of the face opposite, whose vertices ascend: four bits
  /// for each vertex.
  template <int dim>
  constexpr unsigned int
  opposite_pairs(const int j)
  {
    unsigned int result = 0;
    for (int f = 0; f <= dim; ++f)
      result |= (j < f ? vertex_pair<dim>(j, f) : vertex_pair<dim>(f, j + 1)) << (4 * f);
    return result;
  }

  /// One of them.
  /// @tparam Word a number, or one for each lane of a pack
  template <int dim, int j, typename Word>
  SALTUS_HOST_DEVICE
  Word
  opposite_pair(const Word f)
  {
    constexpr unsigned int pairs = opposite_pairs<dim>(j);
    return (pairs >> (4 * f)) & 15;
  }

  /// What is across a face of a simplex, in four bytes: the fast form for simplices that meet at
  /// whole faces; for other shapes there is HypercubeFaceCode. A face has the number
  /// of the vertex opposite; its corners are counted in the order of the element's vertices. A
  /// permutation of corners is a swap of the first two, of the last two (in 3D), and of the first
  /// two once more, each of which may be left out.
  ///
  /// Answers to questions are 1 or 0.
  /// @tparam Word a number, or one for each lane of a pack
  template <typename Word>
  struct FaceCode
  {
    /// As many elements can be told apart.
    static constexpr int max_elements = 1 << 26;

    Word word;

    SALTUS_HOST_DEVICE
    explicit FaceCode(const Word word)
      : word(word)
    {}

    FaceCode(const unsigned int element,
             const unsigned int face,
             const bool         changes_sign,
             const unsigned int swaps) ///< bits: first, middle, last
      : word((element << 6) | (face << 4) | (changes_sign ? 8 : 0) | swaps)
    {}

    SALTUS_HOST_DEVICE
    Word
    element() const
    {
      return word >> 6;
    }

    /// The number that the element across gives the face.
    SALTUS_HOST_DEVICE
    Word
    face() const
    {
      return (word >> 4) & 3;
    }

    /// Whether this number is 0.
    SALTUS_HOST_DEVICE
    Word
    face_is_first() const
    {
      return ~((word >> 4) | (word >> 5)) & 1;
    }

    /// Whether it is at most 1 or 2.
    template <int largest>
    SALTUS_HOST_DEVICE
    Word
    face_is_at_most() const
    {
      static_assert(largest == 1 || largest == 2);
      return largest == 1 ? ~(word >> 5) & 1 : ~((word >> 4) & (word >> 5)) & 1;
    }

    /// Whether across is the mirror image with the opposite sign.
    SALTUS_HOST_DEVICE
    Word
    changes_sign() const
    {
      return (word >> 3) & 1;
    }

    SALTUS_HOST_DEVICE
    Word
    swaps_first() const
    {
      return word & 1;
    }

    SALTUS_HOST_DEVICE
    Word
    swaps_middle() const
    {
      return (word >> 1) & 1;
    }

    SALTUS_HOST_DEVICE
    Word
    swaps_last() const
    {
      return (word >> 2) & 1;
    }

    /// From the order of corners across to this side's.
    template <typename T, int n>
    SALTUS_HOST_DEVICE
    void
    turn(T (&corners)[n]) const
    {
      swap_if(LaneWords<T>::holds(swaps_first()), corners[0], corners[1]);
      if constexpr (n == 3)
        {
          swap_if(LaneWords<T>::holds(swaps_middle()), corners[1], corners[2]);
          swap_if(LaneWords<T>::holds(swaps_last()), corners[0], corners[1]);
        }
    }

  private:
    template <typename Condition, typename T>
    SALTUS_HOST_DEVICE
    static void
    swap_if(const Condition condition, T &a, T &b)
    {
      const T first = select(condition, b, a), second = select(condition, a, b);
      a = first;
      b = second;
    }
  };
} // namespace Saltus

#endif
