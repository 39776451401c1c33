// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/element_kernels.h>

namespace
{
  using namespace Saltus;

  template <typename Number>
  struct Cpu
  {
    template <typename Operation>
    static void
    run(const int n_elements, const Operation &operation)
    {
      constexpr int width = vector_bytes / sizeof(Number);
      parallel_for(n_blocks(n_elements), [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t block = begin; block < end; ++block)
          for (int lane = 0; lane < block_size; lane += width)
            for (int row = 0; row < operation.n_rows(); ++row)
              operation.template run<Pack<Number, width>>(block, row, lane);
      });
    }

    template <typename Operation>
    static void
    enrol()
    {
      ElementOperationRegistry<Operation>::cpu[SALTUS_ISA_LEVEL] = &run<Operation>;
    }
  };

  [[maybe_unused]] const bool registered = [] {
    ElementOperations<double>::enrol<Cpu<double>>();
    ElementOperations<float>::enrol<Cpu<float>>();
    return true;
  }();
} // namespace
