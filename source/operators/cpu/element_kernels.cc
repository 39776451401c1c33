// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/element_kernels.h>

namespace
{
  using namespace Saltus;

  constexpr int vector_bytes = SALTUS_ISA_LEVEL == 4 ? 64 : (SALTUS_ISA_LEVEL == 3 ? 32 : 16);

  template <typename Number>
  struct Cpu
  {
    template <typename Work>
    static void
    for_rows(const int n_elements, const int n_rows, const Work &work)
    {
      constexpr int width = vector_bytes / sizeof(Number);
      parallel_for(n_blocks(n_elements), [&](const int begin, const int end) {
        for (int block = begin; block < end; ++block)
          for (int lane = 0; lane < block_size; lane += width)
            for (int row = 0; row < n_rows; ++row)
              work.template run<Pack<Number, width>>(block, row, lane);
      });
    }
  };

  [[maybe_unused]] const bool registered = [] {
    ElementKernelRegistry<double>::cpu[SALTUS_ISA_LEVEL] =
      new ElementKernelsOn<double, Cpu<double>>;
    ElementKernelRegistry<float>::cpu[SALTUS_ISA_LEVEL] = new ElementKernelsOn<float, Cpu<float>>;
    return true;
  }();
} // namespace
