// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/element_kernels.h>

#include <cuda/base/device/check.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_rows_at_once = 8; ///< of a block of threads

    /// Products with rounded matrices of which the number of modes is known: one thread a product.
    /// Those with the same matrix are neighbours, so that it comes from the first-level cache.
    template <int n_modes, typename Number, typename Operation>
    __global__ void
    __launch_bounds__(block_size *n_rows_at_once)
      block_kernel(const int n_blocks, const Operation operation)
    {
      const int row   = blockIdx.x * n_rows_at_once + threadIdx.y;
      const int block = row / operation.n_products(), product = row % operation.n_products();
      if (block >= n_blocks)
        return;
      const int   lane  = threadIdx.x;
      const auto  start = operation.start(n_modes, block, lane, product);
      const auto &B     = operation.matrices;
      Number      x[n_modes];
      static_for<n_modes>(
        [&](auto m) { x[m.value] = operation.template input<Number>(start, m.value); });
      RoundedBlock::multiply<n_modes>(
        B.scaling + ElementOperation::position(block, 0, n_modes, lane),
        B.words + ElementOperation::position(block, 0, RoundedBlock::n_words(n_modes), lane),
        x);
      static_for<n_modes>([&](auto m) { operation.output(start, m.value, x[m.value]); });
    }

    /// Run the kernel for a number of modes, if it is among those that are compiled.
    template <typename Number, typename Operation>
    bool
    run_blocks(const int, const Operation &)
    {
      return false;
    }

    template <typename Number, int n_modes, int... others, typename Operation>
    bool
    run_blocks(const int n_elements, const Operation &operation)
    {
      if (operation.size() != n_modes)
        return run_blocks<Number, others...>(n_elements, operation);
      const int n = n_blocks(n_elements), n_rows = n * operation.n_products();
      block_kernel<n_modes, Number><<<(n_rows + n_rows_at_once - 1) / n_rows_at_once,
                                      dim3(block_size, n_rows_at_once),
                                      0,
                                      CudaRuntime::stream()>>>(n, operation);
      CudaRuntime::check_launch("products with rounded matrices");
      return true;
    }

    [[maybe_unused]] const bool enrolled = [] {
      using namespace ElementOperation;
      // For triangles up to degree 6 and tetrahedra up to degree 3; else a thread has a row.
      WorkRegistry<MultiplyRounded<float>>::cuda = [](const int                     n_elements,
                                                      const MultiplyRounded<float> &operation) {
        return run_blocks<float, 3, 4, 6, 10, 15, 20, 21, 28>(n_elements, operation);
      };
      // For all triangles, and tetrahedra up to degree 4.
      WorkRegistry<MultiplyRoundedComponents<float>>::cuda =
        [](const int n_elements, const MultiplyRoundedComponents<float> &operation) {
          return run_blocks<float, 3, 4, 6, 10, 15, 20, 21, 28, 35, 36, 45>(n_elements, operation);
        };
      return true;
    }();
  } // namespace
} // namespace Saltus
