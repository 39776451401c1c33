// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_part_of_h
#define saltus_base_algebra_part_of_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// The last of n parts that begins where something is, or before.
  /// @param begins_before whether a part does, as those before it; the first one always
  template <typename BeginsBefore>
  SALTUS_HOST_DEVICE
  int
  last_of_parts(const int n, const BeginsBefore &begins_before)
  {
    int low = 0, high = n;
    while (high - low > 1)
      {
        const int middle = low + (high - low) / 2;
        if (begins_before(middle))
          low = middle;
        else
          high = middle;
      }
    return low;
  }

  /// The one of n parts in which something is: `starts[part] <= place < starts[part + 1]`.
  /// @param starts ascending, of one number more than there are parts; some may be empty
  template <typename T>
  SALTUS_HOST_DEVICE
  int
  part_of(const T *starts, const int n, const T place)
  {
    // Where all are equally large it is known at once; the half is for rounding.
    const int guess = (static_cast<double>(place) + .5) / static_cast<double>(starts[n]) * n;
    if (guess < n && starts[guess] <= place && place < starts[guess + 1])
      return guess;
    return last_of_parts(n, [&](const int part) { return starts[part] <= place; });
  }
} // namespace Saltus

#endif
