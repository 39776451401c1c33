// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a Poisson or screened Poisson problem on triangles or tetrahedra, from a parameter file.
#include <saltus/io/application.h>
#include <saltus/io/mesh_parameters.h>

#include "solver.h"

using dealii::ParameterHandler;

namespace
{
  using namespace Saltus::Poisson;

  void
  declare_parameters(ParameterHandler &prm)
  {
    EquationParameters::declare(prm);
    Saltus::declare_mesh_parameters(prm);
    DiscretizationParameters::declare(prm);
    Saltus::declare_elliptic_function_parameters(prm);
    SolverParameters::declare(prm);
    Saltus::OutputFiles::declare(prm);
  }

  void
  run(ParameterHandler &prm)
  {
    const EquationParameters equation(prm);
    if (equation.dim == 2)
      Solver<2>(prm, equation).run();
    else
      Solver<3>(prm, equation).run();
  }
} // namespace

int
main(int argc, char **argv)
{
  return Saltus::run_application(argc,
                                 argv,
                                 "Solve -div(k grad u) + lambda u = f on triangles or tetrahedra.",
                                 declare_parameters,
                                 run);
}
