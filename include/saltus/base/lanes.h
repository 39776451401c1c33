// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_lanes_h
#define saltus_base_lanes_h

#include <saltus/base/host_device.h>

#include <cstring>

namespace Saltus
{
  /// Small integers, one for each lane of a number `T`, which choose what is done in the lane. A
  /// scalar has one lane; packs have a specialisation.
  template <typename T>
  struct LaneWords
  {
    using Type = unsigned int;

    SALTUS_HOST_DEVICE
    static Type
    load(const unsigned int *from)
    {
      return *from;
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
