// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/euler.h>

#include "problem.h"

namespace Saltus::ConservationLaw
{
  namespace
  {
    template <int dim>
    Euler<dim>
    make_law(const EquationParameters &equation)
    {
      Euler<dim> law;
      law.gamma          = equation.gamma;
      law.riemann_solver = equation.riemann_solver;
      law.transport      = equation.transport;
      return law;
    }
  } // namespace

  void
  run_euler(const Parameters &parameters, const RunSettings &settings)
  {
    if (parameters.equation.dim == 2)
      run_in_precision<2>(parameters, settings, make_law<2>(parameters.equation));
    else
      run_in_precision<3>(parameters, settings, make_law<3>(parameters.equation));
  }
} // namespace Saltus::ConservationLaw
