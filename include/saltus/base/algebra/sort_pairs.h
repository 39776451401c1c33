// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_sort_pairs_h
#define saltus_base_algebra_sort_pairs_h

#include <saltus/base/device/device.h>

#include <cstddef>
#include <cstdint>

namespace Saltus
{
  /// Sort keys in the memory of a device, each with its value. Pairs with equal keys stay in their
  /// order. A GPU may still be sorting when the call returns.
  /// @param n_bits of the keys; the bits above are zero
  void
  sort_pairs(const Device      device,
             const std::size_t n,
             std::uint64_t    *keys,
             int              *values,
             const int         n_bits = 64);
} // namespace Saltus

#endif
