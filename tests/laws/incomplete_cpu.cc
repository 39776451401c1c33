// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A law without a wave speed: this is not to compile.
#include <saltus/operators/conservation_law/kernels/cpu_kernels.h>
#include <saltus/physics/advection.h>

namespace
{
  struct Incomplete : public Saltus::Advection<2>
  {
  private:
    using Saltus::Advection<2>::wave_speed;
  };
} // namespace

SALTUS_INSTANTIATE_CPU(double, Incomplete)
