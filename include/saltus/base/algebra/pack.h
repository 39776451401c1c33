// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_pack_h
#define saltus_base_algebra_pack_h

#include <saltus/base/algebra/lanes.h>

#include <cmath>
#include <type_traits>
#include <utility>

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

    friend inline __attribute__((always_inline)) Pack
    power(const Pack a, const double exponent)
    {
      Pack result;
      for (int lane = 0; lane < width; ++lane)
        result.v[lane] = __builtin_pow(a.v[lane], exponent);
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

  /// Words are as wide as the numbers, which they choose without conversion.
  template <typename Number, int width>
  struct LaneWords<Pack<Number, width>>
  {
    using T = Pack<Number, width>;

    static constexpr bool in_double = sizeof(Number) == sizeof(double);

    // GCC gives the attribute to types that depend on a template argument only.
    using Word  = std::conditional_t<in_double, unsigned long long, unsigned int>;
    using Short = std::conditional_t<(width > 0), unsigned int, Number>;
    using Long  = std::conditional_t<(width > 0), unsigned long long, Number>;
    typedef Word  Type __attribute__((vector_size(width * sizeof(Word))));
    typedef Short InMemory __attribute__((vector_size(width * sizeof(Short))));
    typedef Long  Place __attribute__((vector_size(width * sizeof(Long))));

    static inline __attribute__((always_inline)) Type
    load(const unsigned int *from)
    {
      InMemory words;
      __builtin_memcpy(&words, from, sizeof(InMemory));
      return __builtin_convertvector(words, Type);
    }

    static inline __attribute__((always_inline)) Place
    first_place(const Type elements, const int n)
    {
      const Place e = __builtin_convertvector(elements, Place);
      return e + (e & ~(block_size - 1ull)) * (n - 1);
    }

    static inline __attribute__((always_inline)) Place
    place_in_block(const Type words)
    {
      return __builtin_convertvector(words, Place) * block_size;
    }

    /// @param words below 2^23: the bits behind the leading one of a number
    static inline __attribute__((always_inline)) T
    numbers(const Type words)
    {
      const T leading(in_double ? Number(1ull << 52) : Number(1u << 23));
      return T::make((typename T::Vector)((Type)leading.v | words)) - leading;
    }

    static inline __attribute__((always_inline)) typename T::Mask
    holds(const Type bits)
    {
      const Type all_or_none = -bits;
      return {(typename T::Lanes)all_or_none};
    }

    static inline __attribute__((always_inline)) bool
    in_some_lane(const Type bits)
    {
      Word sum = 0;
      for (int lane = 0; lane < width; ++lane)
        sum |= bits[lane];
      return sum != 0;
    }
  };

  template <typename Number, int width>
  struct SignMask<Pack<Number, width>>
  {
    using T     = Pack<Number, width>;
    using Words = typename LaneWords<T>::Type;

    Words bits; ///< the sign's bit, combined with a number without arithmetic

    inline __attribute__((always_inline)) explicit SignMask(const Words changes)
      : bits(changes << (8 * sizeof(Number) - 1))
    {}

    friend inline __attribute__((always_inline)) T
    flip_sign(const T a, const SignMask mask)
    {
      return T::make((typename T::Vector)((Words)a.v ^ mask.bits));
    }
  };

  template <typename Number, int width, std::size_t... lanes>
  inline __attribute__((always_inline)) void
  gather(Pack<Number, width> &a,
         const Number *const (&from)[width],
         const int i,
         std::index_sequence<lanes...>)
  {
    a.v = typename Pack<Number, width>::Vector{from[lanes][i]...};
  }

  /// Number @p i from each of @p from on.
  template <typename Number, int width>
  inline __attribute__((always_inline)) void
  gather(Pack<Number, width> &a, const Number *const (&from)[width], const int i)
  {
    gather(a, from, i, std::make_index_sequence<width>());
  }

  template <typename Number, int width, std::size_t... lanes>
  inline __attribute__((always_inline)) void
  gather(Pack<Number, width>                                  &a,
         const Number                                         *from,
         const typename LaneWords<Pack<Number, width>>::Place &places,
         std::index_sequence<lanes...>)
  {
    a.v = typename Pack<Number, width>::Vector{from[places[lanes]]...};
  }

  /// One by one: the instructions for this take several times as long on processors that are
  /// guarded against Gather Data Sampling, which are Intel's before Sapphire Rapids.
  template <typename Number, int width>
  inline __attribute__((always_inline)) void
  gather(Pack<Number, width>                                  &a,
         const Number                                         *from,
         const typename LaneWords<Pack<Number, width>>::Place &places)
  {
    gather(a, from, places, std::make_index_sequence<width>());
  }
} // namespace Saltus

#endif
