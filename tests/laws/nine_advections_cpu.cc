// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/kernels/cpu_kernels.h>

#include "nine_advections.h"

SALTUS_INSTANTIATE_CPU(double, Saltus::Tests::NineAdvections<2>)
SALTUS_INSTANTIATE_CPU(double, Saltus::Tests::NineAdvections<3>)
