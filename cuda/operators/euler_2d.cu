// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/euler.h>

#include <cuda/operators/conservation_law_kernels.cuh>

SALTUS_INSTANTIATE_CUDA(double, Euler<2>)
SALTUS_INSTANTIATE_CUDA(float, Euler<2>)
