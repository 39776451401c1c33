// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_riemann_solvers_h
#define applications_common_riemann_solvers_h

#include <saltus/io/parameters/parameters.h>
#include <saltus/physics/euler.h>

namespace Saltus
{
  /// The entry `Numerical flux` of programs that know the Euler equations.
  /// @param used see used_with()
  inline void
  add_riemann_solver(dealii::ParameterHandler &prm,
                     RiemannSolver            &solver,
                     const std::string        &used = "")
  {
    add_choice(prm,
               "Numerical flux",
               solver,
               {{"HLLC", RiemannSolver::hllc},
                {"hybrid", RiemannSolver::hybrid},
                {"Lax-Friedrichs", RiemannSolver::lax_friedrichs}},
               "Riemann solver: HLLC, which resolves contacts and shear waves; hybrid, the "
               "same but for Lax-Friedrichs where the pressure jumps, for flows with shocks, along "
               "which HLLC alone may become unstable (carbuncle). Advection uses the upwind flux." +
                 used);
  }
} // namespace Saltus

#endif
