// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_radix_pass_h
#define saltus_base_algebra_radix_pass_h

#include <cstdint>

namespace Saltus
{
  /// One pass of a radix sort on a GPU: order pairs by one digit of their keys.
  struct RadixPass
  {
    static constexpr int n_digits  = 256;  ///< with 8 bits each
    static constexpr int per_block = 2048; ///< pairs of a thread block

    int                  n, n_blocks, shift;
    const std::uint64_t *keys;
    const int           *values;
    std::uint64_t       *ordered_keys;
    int                 *ordered_values;
    int                 *counts; ///< `[digit][block]`
    const int           *starts; ///< `[digit][block]`: the sums of the counts before
  };
} // namespace Saltus

#endif
