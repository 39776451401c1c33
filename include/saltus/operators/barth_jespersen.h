// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_barth_jespersen_h
#define saltus_operators_barth_jespersen_h

#include <saltus/physics/array.h>

namespace Saltus
{
  /// Limiting coefficient of Barth and Jespersen for one variable of one element (Fuhry et al.,
  /// equations 17 to 19): the largest factor in [0,1] by which the deviation from the mean may be
  /// scaled so that the values at the face points stay between the means of the element and its
  /// neighbours.
  /// @param below,above smallest and largest of these means minus the element's own (<= 0, >= 0)
  /// @param lowest,highest smallest and largest deviation from the mean at the face points
  template <typename Number>
  SALTUS_HOST_DEVICE
  Number
  barth_jespersen_factor(const Number below,
                         const Number above,
                         const Number lowest,
                         const Number highest)
  {
    Number factor = 1;
    if (highest > above)
      factor = above / highest;
    if (lowest < below)
      factor = min(factor, below / lowest);
    return factor;
  }
} // namespace Saltus

#endif
