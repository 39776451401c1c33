// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/kernels/cpu_kernels.h>
#include <saltus/physics/euler.h>

SALTUS_INSTANTIATE_CPU(double, Euler<SALTUS_DIMENSION>)
SALTUS_INSTANTIATE_CPU(float, Euler<SALTUS_DIMENSION>)
