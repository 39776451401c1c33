// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_static_for_h
#define saltus_base_device_static_for_h

#include <saltus/base/device/host_device.h>

#include <utility>

namespace Saltus
{
  /// A number as a type.
  template <int number>
  struct StaticNumber
  {
    static constexpr int value = number;
  };

  template <typename Body, int... numbers>
  SALTUS_HOST_DEVICE
  void
  static_for(const Body &body, std::integer_sequence<int, numbers...>)
  {
    (body(StaticNumber<numbers>()), ...);
  }

  /// Call @p body for the numbers from 0 to n - 1, each a type (StaticNumber): inside, it is known
  /// at compile time.
  template <int n, typename Body>
  SALTUS_HOST_DEVICE
  void
  static_for(const Body &body)
  {
    static_for(body, std::make_integer_sequence<int, n>());
  }
} // namespace Saltus

/// A body for static_for() and the like, inlined on every compiler.
#ifdef __CUDACC__
#  define SALTUS_INLINE_LAMBDA
#else
#  define SALTUS_INLINE_LAMBDA __attribute__((always_inline))
#endif

#endif
