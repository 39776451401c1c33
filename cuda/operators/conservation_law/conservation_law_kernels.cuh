// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_conservation_law_kernels_cuh
#define saltus_cuda_operators_conservation_law_conservation_law_kernels_cuh

// The CUDA back end of conservation laws. Include this in a .cu file of its own that holds nothing
// but SALTUS_INSTANTIATE_CUDA lines. Laws that take the compiler long have their first- and
// second-order kernels in a file each, with the two parts of this.

#include <cuda/operators/conservation_law/first_order_kernels.cuh>
#include <cuda/operators/conservation_law/second_order_kernels.cuh>

/// Compile the CUDA kernels of a law in one precision.
#define SALTUS_INSTANTIATE_CUDA(Number, ...)               \
  SALTUS_INSTANTIATE_CUDA_FIRST_ORDER(Number, __VA_ARGS__) \
  SALTUS_INSTANTIATE_CUDA_SECOND_ORDER(Number, __VA_ARGS__)

#endif
