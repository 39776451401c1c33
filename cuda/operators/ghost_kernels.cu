// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/ghost_arrays.h>

#include <cuda/base/context.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    /// A thread for each number that is sent.
    template <typename Number>
    __global__ void
    pack_kernel(const GhostArrays<Number> arg)
    {
      const int i = blockIdx.x * n_threads + threadIdx.x;
      if (i < arg.n_ghosts * arg.n_numbers)
        pack(arg, i / arg.n_numbers, i % arg.n_numbers);
    }

    /// A thread for each mode of a ghost.
    template <typename Number>
    __global__ void
    unpack_kernel(const GhostArrays<Number> arg)
    {
      const int i = blockIdx.x * n_threads + threadIdx.x;
      if (i < arg.n_ghosts * arg.n_modes)
        unpack(arg, i / arg.n_modes, i % arg.n_modes);
    }

    template <typename Number>
    void
    launch(void (*kernel)(GhostArrays<Number>), const int n, const GhostArrays<Number> &arg)
    {
      if (n == 0)
        return;
      kernel<<<(n + n_threads - 1) / n_threads, n_threads, 0, CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("copying ghosts");
    }

    template <typename Number>
    void
    enrol()
    {
      GhostKernels<Number>::pack = [](const GhostArrays<Number> &arg) {
        launch(pack_kernel<Number>, arg.n_ghosts * arg.n_numbers, arg);
      };
      GhostKernels<Number>::unpack = [](const GhostArrays<Number> &arg) {
        launch(unpack_kernel<Number>, arg.n_ghosts * arg.n_modes, arg);
      };
    }

    [[maybe_unused]] const bool registered = [] {
      enrol<double>();
      enrol<float>();
      return true;
    }();
  } // namespace
} // namespace Saltus
