// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/operators/blocks/line_sweep.h>

namespace Saltus
{
  namespace
  {
    struct SingleThread
    {
      int
      rank() const
      {
        return 0;
      }

      int
      size() const
      {
        return 1;
      }

      void
      synchronize() const
      {}
    };
  } // namespace

  template <typename Number>
  void
  run_lines(const Device device, const LineSweep<Number> &sweep)
  {
    device.make_current();
    if (device.is_cuda())
      LineSweep<Number>::cuda(sweep);
    else
      parallel_for(sweep.n_lines, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t line = begin; line < end; ++line)
          sweep.run(line, SingleThread());
      });
  }

  template void
  run_lines(const Device, const LineSweep<double> &);
  template void
  run_lines(const Device, const LineSweep<float> &);
} // namespace Saltus
