// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_launch_cuh
#define saltus_cuda_base_device_launch_cuh

// Kernels of one thread for each number.
#include <cstddef>
#include <cuda/base/device/check.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128; ///< of a block

    /// Blocks of @p n threads.
    constexpr int
    n_thread_blocks(const std::size_t n)
    {
      return (n + n_threads - 1) / n_threads;
    }
  } // namespace
} // namespace Saltus

#endif
