// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_prefix_sums_h
#define saltus_base_algebra_prefix_sums_h

#include <saltus/base/device/memory.h>

namespace Saltus
{
  /// `starts[i] = counts[0] + ... + counts[i - 1]`, of one number more than there are counts: where
  /// things begin of which there are `counts[i]` of each kind, and how many there are.
  /// @tparam Sum int or std::size_t
  template <typename Sum>
  Memory<Sum>
  prefix_sums(const Memory<int> &counts);

  /// The last entry of an array; waits for the device.
  template <typename T>
  T
  last_of(const Memory<T> &values)
  {
    T last{};
    values.device().make_current();
    if (values.device().is_cuda())
      CudaRuntime::copy_to_host(&last, values.data() + values.size() - 1, sizeof(T));
    else
      last = values.data()[values.size() - 1];
    return last;
  }
} // namespace Saltus

#endif
