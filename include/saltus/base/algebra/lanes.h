// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_lanes_h
#define saltus_base_algebra_lanes_h

#include <saltus/base/algebra/block_layout.h>

#include <cstddef>
#include <cstring>

namespace Saltus
{
  /// Small integers, one for each lane of a number `T`, which choose what is done in the lane. A
  /// scalar has one lane; packs have a specialisation.
  template <typename T>
  struct LaneWords
  {
    using Type  = unsigned int;
    using Place = std::size_t; ///< in an array, for each lane too

    SALTUS_HOST_DEVICE
    static Type
    load(const unsigned int *from)
    {
      return *from;
    }

    /// As point_index(): where the first value of elements is in an array `[block][i][l]`.
    SALTUS_HOST_DEVICE
    static Place
    first_place(const Type elements, const int n)
    {
      return point_index(elements, 0, n, 1);
    }

    /// Where in a block the values @p words of its element 0 are.
    SALTUS_HOST_DEVICE
    static Place
    place_in_block(const Type words)
    {
      return words * block_size;
    }

    /// The words as numbers.
    SALTUS_HOST_DEVICE
    static T
    numbers(const Type words)
    {
      return T(words);
    }

    /// Whether the words are 1 and not 0.
    SALTUS_HOST_DEVICE
    static bool
    holds(const Type bits)
    {
      return bits != 0;
    }

    SALTUS_HOST_DEVICE
    static bool
    in_some_lane(const Type bits)
    {
      return bits != 0;
    }
  };

  /// Whether the signs of numbers change. Packs have a specialisation.
  template <typename T>
  struct SignMask;

#define SALTUS_SIGN_MASK(T, Word)                                     \
  template <>                                                         \
  struct SignMask<T>                                                  \
  {                                                                   \
    /** The sign's bit, combined with a number without arithmetic. */ \
    Word bits;                                                        \
                                                                      \
    SALTUS_HOST_DEVICE                                                \
    explicit SignMask(const unsigned int changes)                     \
      : bits(static_cast<Word>(changes) << (8 * sizeof(Word) - 1))    \
    {}                                                                \
  };                                                                  \
                                                                      \
  /** -a where the sign changes, else a. */                           \
  SALTUS_HOST_DEVICE                                                  \
  T flip_sign(const T a, const SignMask<T> mask)                      \
  {                                                                   \
    Word word;                                                        \
    memcpy(&word, &a, sizeof(T));                                     \
    word ^= mask.bits;                                                \
    T result;                                                         \
    memcpy(&result, &word, sizeof(T));                                \
    return result;                                                    \
  }

  SALTUS_SIGN_MASK(float, unsigned int)
  SALTUS_SIGN_MASK(double, unsigned long long)
#undef SALTUS_SIGN_MASK

  /// A number that nobody writes while a kernel runs.
  template <typename Number>
  SALTUS_HOST_DEVICE
  Number
  read_only(const Number *from)
  {
#ifdef __CUDA_ARCH__
    return __ldg(from);
#else
    return *from;
#endif
  }

  /// Load `from[place]`, in each lane from a place of its own. Packs have an overload.
  template <typename Number>
  SALTUS_HOST_DEVICE
  void
  gather(Number &a, const Number *from, const std::size_t place)
  {
    a = read_only(from + place);
  }

  /// The same table, of which the compiler of the CPU's kernels does not know that it is the same:
  /// it would rather spill the entries it has read than read them again, which costs nothing as
  /// part of a multiplication.
  template <typename Table>
  SALTUS_HOST_DEVICE
  const Table *
  read_again(const Table *table)
  {
#ifndef __CUDA_ARCH__
    asm("" : "+r"(table));
#endif
    return table;
  }

  /// Whether @p condition holds in one of the threads that work in step with this one.
  SALTUS_HOST_DEVICE
  bool
  any_thread(const bool condition)
  {
#ifdef __CUDA_ARCH__
    return __any_sync(__activemask(), condition);
#else
    return condition;
#endif
  }
} // namespace Saltus

#endif
