// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/cpu_kernels.h>
#include <saltus/physics/euler.h>

SALTUS_INSTANTIATE_CPU(Euler<2>)
SALTUS_INSTANTIATE_CPU(Euler<3>)
