// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_order_work_h
#define saltus_base_algebra_order_work_h

#include <saltus/base/device/launch.h>

#include <cstddef>
#include <cstdint>

/// What puts things in order on a device, where no thread can do a part of it by itself: work for
/// launch(), with the number of things.
namespace Saltus
{
  /// Sort keys, each with its value; those with equal keys stay in their order.
  struct SortPairs
  {
    std::uint64_t *keys   = nullptr;
    int           *values = nullptr;
    int            n_bits = 64; ///< of the keys; those above are zero
  };

  /// `starts[i] = sizes[0] + ... + sizes[i - 1]`, of one number more than there are sizes.
  template <typename Sum>
  struct PrefixSums
  {
    const int *sizes  = nullptr;
    Sum       *starts = nullptr;
  };

  using OrderWork = WorkList<SortPairs, PrefixSums<int>, PrefixSums<std::size_t>>;
} // namespace Saltus

#endif
