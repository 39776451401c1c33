// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/multithread_info.h>
#include <deal.II/base/parallel.h>

#include <saltus/base/device/threads.h>

#include <algorithm>

namespace Saltus
{
  void
  parallel_for(const std::size_t n,
               void (*function)(void *data, std::size_t begin, std::size_t end),
               void *data)
  {
    // A few ranges a thread even out the load; one range needs no thread at all.
    const std::size_t wanted   = 4 * dealii::MultithreadInfo::n_threads();
    const std::size_t grain    = std::max<std::size_t>(1, (n + wanted - 1) / wanted);
    const std::size_t n_ranges = (n + grain - 1) / grain;
    const auto        run      = [&](const std::size_t first, const std::size_t last) {
      function(data, first * grain, std::min(last * grain, n));
    };
    if (n_ranges <= 1)
      run(0, n_ranges);
    else
      dealii::parallel::apply_to_subranges(std::size_t(0), n_ranges, run, 1);
  }
} // namespace Saltus
