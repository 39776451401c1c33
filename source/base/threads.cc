// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/parallel.h>

#include <saltus/base/threads.h>

#include <algorithm>

namespace Saltus
{
  void
  parallel_for(const int n, void (*function)(void *data, int begin, int end), void *data)
  {
    // A few ranges a thread even out the load; one range needs no thread at all.
    const int n_ranges = 4 * dealii::MultithreadInfo::n_threads();
    const int grain    = std::max(1, (n + n_ranges - 1) / n_ranges);
    if (n <= grain)
      function(data, 0, n);
    else
      dealii::parallel::apply_to_subranges(
        0, n, [&](const int begin, const int end) { function(data, begin, end); }, grain);
  }
} // namespace Saltus
