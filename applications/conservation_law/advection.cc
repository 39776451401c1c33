// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/advection.h>

#include "problem.h"

namespace Saltus::ConservationLaw
{
  void
  run_advection(const Parameters &parameters, const RunSettings &settings)
  {
    if (parameters.equation.dim == 2)
      run_in_precision<2>(parameters, settings, Advection<2>());
    else
      run_in_precision<3>(parameters, settings, Advection<3>());
  }
} // namespace Saltus::ConservationLaw
