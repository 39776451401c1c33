// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_launch_shape_h
#define saltus_base_device_launch_shape_h

namespace Saltus
{
  /// The launch parameters of a GPU kernel. The compiler computes them with the kernel, since they
  /// depend on the limits of the device.
  struct LaunchShape
  {
    int n_threads; ///< per block
    int per_block; ///< items that a block works on
    /// Per multiprocessor, a bound on registers; 0: the compiler finds a number. With 1 it takes as
    /// many registers as it can use, even if fewer blocks fit into a multiprocessor.
    int min_blocks   = 0;
    int shared_bytes = 0; ///< dynamic shared memory of a block
    int n_rows       = 1; ///< of blocks, each for all items: blockIdx.y
    /// Whether threadIdx.x counts the lanes of a warp, and threadIdx.y the warps of a block. If
    /// not, threadIdx.x counts all threads.
    bool counts_warps = false;
    /// If not 0, a bound on the blocks of a multiprocessor, which then work on several groups of
    /// items in turn.
    int max_blocks = 0;
    /// Whether each block works on several groups of items in turn. The number of blocks is then at
    /// most the number of resident ones.
    bool is_persistent = false;
    /// Whether the kernel waits itself for the kernel before, see early_begin.cuh, so that it may
    /// begin early.
    bool waits = false;
    /// Whether the kernel is the general form: slower, but for any quadrature and device.
    bool is_general = false;
    /// The reason for a slower form: the device has too few tensor cores or shared memory.
    bool lacks_tensor_cores = false, lacks_shared_memory = false;

    int table_bytes  = 0; ///< size of the tables, the last argument of the kernel
    int memory_bytes = 0; ///< size of the device memory that the tables refer to
  };
} // namespace Saltus

#endif
