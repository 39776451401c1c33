// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_prefix_sums_h
#define saltus_base_algebra_prefix_sums_h

#include <saltus/base/algebra/order_work.h>
#include <saltus/base/device/memory.h>

namespace Saltus
{
  /// Where things begin of which there are `counts[i]` of each kind, and how many there are.
  template <typename Sum>
  Memory<Sum>
  prefix_sums(const Memory<int> &counts)
  {
    const std::size_t n = counts.size();
    auto              starts =
      n == 0 ? Memory<Sum>(counts.device(), 1) : Memory<Sum>::uninitialized(counts.device(), n + 1);
    launch(counts.device(), n, PrefixSums<Sum>{counts.data(), starts.data()});
    return starts;
  }

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
