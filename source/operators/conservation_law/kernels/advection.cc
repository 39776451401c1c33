// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/kernels/cpu_kernels.h>
#include <saltus/physics/advection.h>

SALTUS_INSTANTIATE_CPU(double, Advection<SALTUS_DIMENSION>)
SALTUS_INSTANTIATE_CPU(float, Advection<SALTUS_DIMENSION>)
