// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Sorting and sums on the CPU.
#include <saltus/base/algebra/order_work.h>
#include <saltus/base/algebra/parallel_sort.h>

#include <utility>
#include <vector>

namespace
{
  using namespace Saltus;

  void
  put_in_order(const int n, const SortPairs &work)
  {
    // Equal keys stay in their order, as no two places are equal.
    std::vector<std::pair<std::uint64_t, int>> order(n);
    std::vector<int>                           values(work.values, work.values + n);
    for (int i = 0; i < n; ++i)
      order[i] = {work.keys[i], i};
    parallel_sort(order);
    for (int i = 0; i < n; ++i)
      {
        work.keys[i]   = order[i].first;
        work.values[i] = values[order[i].second];
      }
  }

  template <typename Sum>
  void
  put_in_order(const int n, const PrefixSums<Sum> &work)
  {
    Sum sum        = 0;
    work.starts[0] = 0;
    for (int i = 0; i < n; ++i)
      work.starts[i + 1] = sum += work.sizes[i];
  }

  struct Cpu
  {
    template <typename Work>
    static void
    run(const int n, const Work &work)
    {
      put_in_order(n, work);
    }

    template <typename Work>
    static bool
    enrol()
    {
      WorkRegistry<Work>::cpu[SALTUS_ISA_LEVEL] = &run<Work>;
      return true;
    }
  };

  [[maybe_unused]] const bool enrolled = OrderWork::enrol<Cpu>();
} // namespace
