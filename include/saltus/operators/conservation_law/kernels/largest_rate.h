// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_largest_rate_h
#define saltus_operators_conservation_law_kernels_largest_rate_h

namespace Saltus
{
  /// The largest of the numbers that the blocks of a GPU kernel find.
  struct LargestRate
  {
    long long    bits;          ///< ordered_bits(), 0 between two kernels
    unsigned int n_blocks_done; ///< likewise
  };
} // namespace Saltus

#endif
