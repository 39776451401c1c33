// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_copied_modes_cuh
#define saltus_cuda_operators_spaces_copied_modes_cuh

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/static_for.h>

#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus
{
  /// Modes of an element across and, if @p keeps, of a thread's own, in shared memory: see
  /// ModesInMemory. Threads copy and read their own alone, `[warp][m][lane]`.
  template <typename Number, int n_modes, bool keeps, int n_components = 1>
  class CopiedModes
  {
  public:
    static constexpr bool copies = true, keeps_own = keeps;

    /// @param memory of the block of threads
    __device__ __forceinline__ explicit CopiedModes(void *memory)
      : other(static_cast<Number *>(memory) + threadIdx.x / block_size * (n_modes * block_size) +
              threadIdx.x % block_size)
      , mine(other + n_modes * blockDim.x)
    {}

    __device__ __forceinline__ void
    fetch(const Number *from) const
    {
      static_for<n_modes>([&](const auto m) {
        CudaKernels::copy_async<sizeof(Number)>(
          from + m.value * CoefficientLayout{n_modes, n_components}.mode_stride(),
          other + m.value * block_size);
      });
    }

    __device__ __forceinline__ void
    wait() const
    {
      CudaKernels::arrive();
    }

    __device__ __forceinline__ void
    keep(const int m, const Number value) const
    {
      mine[m * block_size] = value;
    }

    // Volatile: the compiler would keep what it has read in registers, which are few.

    __device__ __forceinline__ const volatile Number *
    own() const
    {
      return mine;
    }

    __device__ __forceinline__ const volatile Number *
    across() const
    {
      return other;
    }

  private:
    Number *other, *mine;
  };
} // namespace Saltus

#endif
