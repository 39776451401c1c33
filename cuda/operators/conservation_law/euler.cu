// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/euler.h>

#include <cuda/operators/conservation_law/first_order_kernels.cuh>

SALTUS_INSTANTIATE_CUDA_FIRST_ORDER(double, Euler<SALTUS_DIMENSION>)
SALTUS_INSTANTIATE_CUDA_FIRST_ORDER(float, Euler<SALTUS_DIMENSION>)
