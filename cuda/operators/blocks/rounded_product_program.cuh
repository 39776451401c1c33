// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_blocks_rounded_product_program_cuh
#define saltus_cuda_operators_blocks_rounded_product_program_cuh

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/blocks/element_kernels.h>

#include <cuda/operators/blocks/element_work_program.cuh>

namespace Saltus::CudaKernels
{
  /// Products with rounded matrices: one thread a product. Products with the same matrix are
  /// neighbors, so that it comes from the first-level cache.
  template <typename Operation, int n_modes>
  struct RoundedProductProgram
  {
    using Number = decltype(number_of(std::declval<Operation>()));

    static constexpr LaunchShape shape{block_size * 8, 8};

    static __device__ __forceinline__ void
    run(const int n_rows, const Operation &operation)
    {
      const int row   = (blockIdx.x * shape.n_threads + threadIdx.x) / block_size;
      const int block = row / operation.n_products(), product = row % operation.n_products();
      if (row >= n_rows)
        return;
      const int   lane  = threadIdx.x % block_size;
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
  };
} // namespace Saltus::CudaKernels

#endif
