// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_first_index_h
#define saltus_base_algebra_first_index_h

#include <saltus/base/device/threads.h>

#include <atomic>

namespace Saltus
{
  /// The smallest i in `[0, n)` for which `predicate(i)` holds, n if there is none; looked for on
  /// all threads. So what is found, and reported, does not depend on their number.
  template <typename Predicate>
  unsigned int
  first_index(const unsigned int n, const Predicate &predicate)
  {
    std::atomic<unsigned int> first(n);
    parallel_for(n, [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int i = begin; i < end && i < first; ++i)
        if (predicate(i))
          {
            unsigned int known = first;
            while (i < known && !first.compare_exchange_weak(known, i))
              ;
            return;
          }
    });
    return first;
  }
} // namespace Saltus

#endif
