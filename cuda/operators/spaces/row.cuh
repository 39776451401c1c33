// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_row_cuh
#define saltus_cuda_operators_spaces_row_cuh

#include <saltus/base/algebra/array.h>

#include <cuda/operators/spaces/quick_number.cuh>

namespace Saltus::CudaKernels
{
  /// Numbers that are moved together, in accesses of 16 bytes if there are such.
  template <int n, typename Number>
  struct Row
  {
    static constexpr int in_word = n * sizeof(Number) % 16 == 0 ? 16 / sizeof(Number) : 1;
    struct alignas(in_word * sizeof(Number)) Word
    {
      Number values[in_word];
    };

    Array<Quick<Number>, n> values;

    /// Not by __ldg(), see early_begin.cuh.
    static __device__ __forceinline__ Row
    read(const Number *from)
    {
      Row row;
#pragma unroll
      for (int i = 0; i < n; i += in_word)
        {
          const Word word = *reinterpret_cast<const Word *>(from + i);
#pragma unroll
          for (int j = 0; j < in_word; ++j)
            row.values[i + j] = word.values[j];
        }
      return row;
    }

    __device__ __forceinline__ void
    write(Number *to) const
    {
#pragma unroll
      for (int i = 0; i < n; i += in_word)
        {
          Word word;
#pragma unroll
          for (int j = 0; j < in_word; ++j)
            word.values[j] = values[i + j].v;
          *reinterpret_cast<Word *>(to + i) = word;
        }
    }
  };
} // namespace Saltus::CudaKernels

#endif
