// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/physics/euler.h>

#include "solver.h"

namespace Saltus::ConservationLaw
{
  namespace
  {
    template <int dim>
    Euler<dim>
    make_law(const EquationParameters &equation)
    {
      using RiemannSolver = typename Euler<dim>::RiemannSolver;
      Euler<dim> law;
      law.gamma = equation.gamma;
      law.riemann_solver =
        equation.numerical_flux == "HLLC" ? RiemannSolver::hllc : RiemannSolver::lax_friedrichs;
      return law;
    }
  } // namespace

  void
  run_euler(dealii::ParameterHandler &prm, const EquationParameters &equation)
  {
    if (equation.dim == 2)
      run_in_precision<2>(prm, make_law<2>(equation), equation);
    else
      run_in_precision<3>(prm, make_law<3>(equation), equation);
  }
} // namespace Saltus::ConservationLaw
