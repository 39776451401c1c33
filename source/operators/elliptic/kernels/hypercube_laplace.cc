// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "hypercube_laplace_kernels.h"

namespace
{
  [[maybe_unused]] const bool enrolled =
    enrol_laplace_on_hypercubes<SALTUS_DIMENSION, double, 1>() &&
    enrol_laplace_on_hypercubes<SALTUS_DIMENSION, float, 1>();
} // namespace
