// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_reductions_h
#define saltus_base_reductions_h

#include <saltus/base/memory.h>

namespace Saltus
{
  /// \f$ \max_i |a_i - b_i| \f$ of two arrays of the same size on the same device, computed there.
  /// Not a number if one of the differences is none. 0 for empty arrays. For double and float.
  template <typename Number>
  double
  max_difference(const Memory<Number> &a, const Memory<Number> &b);
} // namespace Saltus

#endif
