// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_blocks_kernels_element_operations_h
#define saltus_source_operators_blocks_kernels_element_operations_h

// Element operations with one set of vector instructions.
#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>
#include <saltus/operators/blocks/element_kernels.h>

namespace
{
  using namespace Saltus;

  /// The back end of a WorkList of element operations.
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
    static bool
    enrol()
    {
      WorkRegistry<Operation>::cpu[SALTUS_ISA_LEVEL] = &run<Operation>;
      return true;
    }
  };
} // namespace

#endif
