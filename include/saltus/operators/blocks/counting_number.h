// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_counting_number_h
#define saltus_operators_blocks_counting_number_h

#include <cmath>

namespace Saltus
{
  /// A number `T` of the physics functions that counts its operations: additions, multiplications,
  /// divisions and roots are one each, comparisons and choices none.
  struct CountingNumber
  {
    double value;

    static inline long n_operations = 0;

    CountingNumber() = default;
    CountingNumber(const double value)
      : value(value)
    {}

    CountingNumber
    operator-() const
    {
      return {-value};
    }

#define SALTUS_COUNTED(op)                                              \
  friend CountingNumber operator op(CountingNumber a, CountingNumber b) \
  {                                                                     \
    ++n_operations;                                                     \
    return {a.value op b.value};                                        \
  }
    SALTUS_COUNTED(+)
    SALTUS_COUNTED(-)
    SALTUS_COUNTED(*)
    SALTUS_COUNTED(/)
#undef SALTUS_COUNTED

#define SALTUS_COMPARISON(op)                                 \
  friend bool operator op(CountingNumber a, CountingNumber b) \
  {                                                           \
    return a.value op b.value;                                \
  }
    SALTUS_COMPARISON(<)
    SALTUS_COMPARISON(>)
    SALTUS_COMPARISON(<=)
    SALTUS_COMPARISON(>=)
    SALTUS_COMPARISON(==)
#undef SALTUS_COMPARISON

    friend CountingNumber
    select(const bool condition, const CountingNumber a, const CountingNumber b)
    {
      return condition ? a : b;
    }

    friend CountingNumber
    max(const CountingNumber a, const CountingNumber b)
    {
      return a > b ? a : b;
    }

    friend CountingNumber
    min(const CountingNumber a, const CountingNumber b)
    {
      return a < b ? a : b;
    }

    friend CountingNumber
    abs(const CountingNumber a)
    {
      return {std::abs(a.value)};
    }

    friend CountingNumber
    sqrt(const CountingNumber a)
    {
      ++n_operations;
      return {std::sqrt(a.value)};
    }

    friend CountingNumber
    power(const CountingNumber a, const double exponent)
    {
      ++n_operations;
      return {std::pow(a.value, exponent)};
    }

    friend CountingNumber
    rsqrt(const CountingNumber a)
    {
      ++n_operations;
      return {1. / std::sqrt(a.value)};
    }
  };
} // namespace Saltus

#endif
