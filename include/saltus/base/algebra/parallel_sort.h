// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_parallel_sort_h
#define saltus_base_algebra_parallel_sort_h

#include <saltus/base/device/threads.h>

#include <algorithm>
#include <vector>

namespace Saltus
{
  /// Sort @p values, no two of which are equal, on all threads.
  template <typename T>
  void
  parallel_sort(std::vector<T> &values)
  {
    constexpr std::size_t n_ranges = 64; // sorted by themselves, then merged in pairs
    const auto            place    = [&](const std::size_t range) {
      return values.begin() + range * values.size() / n_ranges;
    };
    parallel_for(n_ranges, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t range = begin; range < end; ++range)
        std::sort(place(range), place(range + 1));
    });
    for (std::size_t size = 1; size < n_ranges; size *= 2)
      parallel_for(n_ranges / (2 * size), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t pair = begin; pair < end; ++pair)
          std::inplace_merge(place(2 * pair * size),
                             place((2 * pair + 1) * size),
                             place((2 * pair + 2) * size));
      });
  }
} // namespace Saltus

#endif
