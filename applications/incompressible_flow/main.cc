// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve the incompressible Navier-Stokes equations on triangles, quadrilaterals, tetrahedra or
// hexahedra, from a parameter file.
#include <saltus/io/parameters/application.h>

#include "problem.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::FlowProgram;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Solve the incompressible Navier-Stokes equations on triangles, quadrilaterals, tetrahedra or "
    "hexahedra.",
    [](const Parameters &parameters, const Saltus::RunSettings &settings) {
      if (parameters.equation.dim == 2)
        run<2>(parameters, settings);
      else
        run<3>(parameters, settings);
    });
}
