// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a hyperbolic conservation law on triangles or tetrahedra, from a parameter file.
#include <saltus/io/application.h>
#include <saltus/io/function_parameters.h>
#include <saltus/io/mesh_parameters.h>
#include <saltus/io/output_parameters.h>

#include "parameters.h"

using dealii::ParameterHandler;

namespace Saltus::ConservationLaw
{
  void
  run_euler(ParameterHandler &prm, const EquationParameters &equation);

  void
  run_advection(ParameterHandler &prm, const EquationParameters &equation);
} // namespace Saltus::ConservationLaw

namespace
{
  using namespace Saltus::ConservationLaw;

  void
  declare_parameters(ParameterHandler &prm)
  {
    EquationParameters::declare(prm);
    Saltus::declare_mesh_parameters(prm);
    DiscretizationParameters::declare(prm);
    Saltus::declare_function_parameters(prm);
    TimeParameters::declare(prm);
    Saltus::OutputParameters::declare(prm);
  }

  void
  run(ParameterHandler &prm)
  {
    const EquationParameters equation(prm);
    if (equation.type == "Euler")
      run_euler(prm, equation);
    else
      run_advection(prm, equation);
  }
} // namespace

int
main(int argc, char **argv)
{
  return Saltus::run_application(argc,
                                 argv,
                                 "Solve a hyperbolic conservation law on triangles or tetrahedra.",
                                 declare_parameters,
                                 run);
}
