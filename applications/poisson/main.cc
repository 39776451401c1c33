// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a Poisson or screened Poisson problem from a parameter file.
#include <saltus/io/parameters/application.h>

#include "solver.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::Poisson;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Solve -div(k grad u) + lambda u = f on triangles, quadrilaterals, tetrahedra or hexahedra.",
    [](const Parameters &parameters, const Saltus::RunSettings &settings) {
      if (parameters.mesh.is_mixed())
        Solver<2, Saltus::MixedLaplaceOperator<2>>(parameters, settings).run();
      else if (parameters.equation.dim == 2)
        Solver<2>(parameters, settings).run();
      else
        Solver<3>(parameters, settings).run();
    });
}
