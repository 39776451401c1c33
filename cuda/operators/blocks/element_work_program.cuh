// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_blocks_element_work_program_cuh
#define saltus_cuda_operators_blocks_element_work_program_cuh

// The program of launch() for operations on blocks of elements.

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/launch_shape.h>

#include <type_traits>

namespace Saltus::CudaKernels
{
  /// The type of the numbers of an operation on elements, an argument of its template.
  template <template <typename...> class Operation, typename Number, typename... Others>
  Number
  number_of(const Operation<Number, Others...> &);

  template <template <int, typename> class Operation, int dim, typename Number>
  Number
  number_of(const Operation<dim, Number> &);

  /// Work on blocks of elements, see operators/blocks/element_kernels.h: a block of threads for
  /// each. Rows done at a time share their data in the first-level cache. Host code launches fewer
  /// threads for fewer rows.
  template <typename Work>
  struct ElementWorkProgram
  {
    using Number = decltype(number_of(std::declval<Work>()));

    static constexpr LaunchShape shape{block_size * 8, block_size};

    static __device__ __forceinline__ void
    run(const int, const Work &work)
    {
      const int lane = threadIdx.x % block_size;
      for (int row = threadIdx.x / block_size; row < work.n_rows(); row += blockDim.x / block_size)
        work.template run<Number>(blockIdx.x, row, lane);
    }
  };
} // namespace Saltus::CudaKernels

#endif
