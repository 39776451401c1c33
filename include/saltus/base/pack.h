// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_pack_h
#define saltus_base_pack_h

#include <saltus/base/lanes.h>

#include <cmath>
#include <type_traits>

namespace Saltus
{
#ifdef SALTUS_ISA_LEVEL
  /// Of the vector registers that a file is compiled for.
  constexpr int vector_bytes = SALTUS_ISA_LEVEL == 4 ? 64 : (SALTUS_ISA_LEVEL == 3 ? 32 : 16);
#endif

  /// A number for each of @p width elements: the `T` of the physics functions on the CPU. A thin
  /// layer over the compiler's vector extension, because deal.II's VectorizedArray is as wide as
  /// deal.II was compiled for, which in distributions is one number.
  template <typename Number, int width>
  struct Pack
  {
    typedef Number Vector __attribute__((vector_size(width * sizeof(Number))));
    using Lanes = decltype(Vector{} < Vector{});

    /// One truth value a lane.
    struct Mask
    {
      Lanes lanes;

      friend inline __attribute__((always_inline)) Mask
      operator&(const Mask a, const Mask b)
      {
        return {a.lanes & b.lanes};
      }

      friend inline __attribute__((always_inline)) bool
      any(const Mask mask)
      {
        bool result = false;
        for (int lane = 0; lane < width; ++lane)
          result |= mask.lanes[lane] != 0;
        return result;
      }

      bool
      operator[](const int lane) const
      {
        return lanes[lane] != 0;
      }
    };

    Vector v;

    Pack() = default;
    inline __attribute__((always_inline)) Pack(const Number number)
      : v(number - Vector{})
    {}

    /// A named function: GCC 12 takes a constructor from Vector for the one from Number.
    static inline __attribute__((always_inline)) Pack
    make(const Vector v)
    {
      Pack result;
      result.v = v;
      return result;
    }

    inline __attribute__((always_inline)) Pack
    operator-() const
    {
      return make(-v);
    }

#define SALTUS_PACK_OPERATOR(op)                                                            \
  friend inline __attribute__((always_inline)) Pack operator op(const Pack a, const Pack b) \
  {                                                                                         \
    return make(a.v op b.v);                                                                \
  }
    SALTUS_PACK_OPERATOR(+)
    SALTUS_PACK_OPERATOR(-)
    SALTUS_PACK_OPERATOR(*)
    SALTUS_PACK_OPERATOR(/)
#undef SALTUS_PACK_OPERATOR

#define SALTUS_PACK_COMPARISON(op)                                                          \
  friend inline __attribute__((always_inline)) Mask operator op(const Pack a, const Pack b) \
  {                                                                                         \
    return {a.v op b.v};                                                                    \
  }
    SALTUS_PACK_COMPARISON(<)
    SALTUS_PACK_COMPARISON(>)
    SALTUS_PACK_COMPARISON(<=)
    SALTUS_PACK_COMPARISON(>=)
    SALTUS_PACK_COMPARISON(==)
#undef SALTUS_PACK_COMPARISON

    friend inline __attribute__((always_inline)) Pack
    select(const Mask mask, const Pack a, const Pack b)
    {
      return make(mask.lanes ? a.v : b.v);
    }

    friend inline __attribute__((always_inline)) Pack
    max(const Pack a, const Pack b)
    {
      return make(a.v > b.v ? a.v : b.v);
    }

    friend inline __attribute__((always_inline)) Pack
    min(const Pack a, const Pack b)
    {
      return make(a.v < b.v ? a.v : b.v);
    }

    friend inline __attribute__((always_inline)) Pack
    abs(const Pack a)
    {
      return make(a.v < Vector{} ? -a.v : a.v);
    }

    friend inline __attribute__((always_inline)) Pack
    sqrt(const Pack a)
    {
      Pack result;
      for (int lane = 0; lane < width; ++lane)
        result.v[lane] = __builtin_sqrt(a.v[lane]);
      return result;
    }

    friend inline __attribute__((always_inline)) void
    set_lane(Pack &a, const int lane, const Number value)
    {
      a.v[lane] = value;
    }

    friend inline __attribute__((always_inline)) Number
    get_lane(const Pack &a, const int lane)
    {
      return a.v[lane];
    }

    /// From and to @p width numbers in a row.
    friend inline __attribute__((always_inline)) void
    load(Pack &a, const Number *from)
    {
      __builtin_memcpy(&a.v, from, sizeof(Vector));
    }

    friend inline __attribute__((always_inline)) void
    store(const Pack &a, Number *to)
    {
      __builtin_memcpy(to, &a.v, sizeof(Vector));
    }

    friend inline __attribute__((always_inline)) Pack
    reciprocal(const Pack a)
    {
      return Pack(Number(1)) / a;
    }

    friend inline __attribute__((always_inline)) Pack
    rsqrt(const Pack a)
    {
      return Pack(Number(1)) / sqrt(a);
    }
  };

  template <typename Number, int width>
  struct LaneWords<Pack<Number, width>>
  {
    using T = Pack<Number, width>;

    // GCC gives the attribute to types that depend on a template argument only.
    typedef std::conditional_t<(width > 0), int, Number> Integer;
    typedef Integer Type __attribute__((vector_size(width * sizeof(Integer))));

    static inline __attribute__((always_inline)) Type
    load(const unsigned int *from)
    {
      Type words;
      __builtin_memcpy(&words, from, sizeof(Type));
      return words;
    }

    static inline __attribute__((always_inline)) T
    numbers(const Type words)
    {
      return T::make(__builtin_convertvector(words, typename T::Vector));
    }

    static inline __attribute__((always_inline)) typename T::Mask
    holds(const Type bits)
    {
      return {__builtin_convertvector(-bits, typename T::Lanes)};
    }

    static inline __attribute__((always_inline)) bool
    in_some_lane(const Type bits)
    {
      int sum = 0;
      for (int lane = 0; lane < width; ++lane)
        sum |= bits[lane];
      return sum != 0;
    }
  };

  template <typename Number, int width>
  struct SignMask<Pack<Number, width>>
  {
    using T = Pack<Number, width>;

    T factor; ///< 1 or -1

    inline
      __attribute__((always_inline)) explicit SignMask(const typename LaneWords<T>::Type changes)
      : factor(LaneWords<T>::numbers(1 - 2 * changes))
    {}

    friend inline __attribute__((always_inline)) T
    flip_sign(const T a, const SignMask mask)
    {
      return a * mask.factor;
    }
  };
} // namespace Saltus

#endif
