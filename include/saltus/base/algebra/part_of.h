// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_part_of_h
#define saltus_base_algebra_part_of_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// The one of n parts in which something is: `starts[part] <= place < starts[part + 1]`.
  /// @param starts ascending, of one number more than there are parts; some may be empty
  template <typename T>
  SALTUS_HOST_DEVICE
  int
  part_of(const T *starts, const int n, const T place)
  {
    // Where all are equally large it is known at once.
    const int guess = static_cast<double>(place) / static_cast<double>(starts[n]) * n;
    if (guess < n && starts[guess] <= place && place < starts[guess + 1])
      return guess;
    int low = 0, high = n;
    while (high - low > 1)
      {
        const int middle = low + (high - low) / 2;
        if (starts[middle] <= place)
          low = middle;
        else
          high = middle;
      }
    return low;
  }
} // namespace Saltus

#endif
