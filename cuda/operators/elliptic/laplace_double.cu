// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <cuda/operators/elliptic/laplace_kernels.cuh>

namespace Saltus
{
  namespace
  {
    [[maybe_unused]] const bool registered = register_laplace_kernels<SALTUS_DIMENSION, double>();
  } // namespace
} // namespace Saltus
