// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/advection.h>

#include "solver.h"

namespace Saltus::ConservationLaw
{
  void
  run_advection(dealii::ParameterHandler &prm, const EquationParameters &equation)
  {
    if (equation.dim == 2)
      run_in_precision<2>(prm, Advection<2>(), equation);
    else
      run_in_precision<3>(prm, Advection<3>(), equation);
  }
} // namespace Saltus::ConservationLaw
