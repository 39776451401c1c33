// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve an advection-diffusion-reaction problem on polytopic elements, from a parameter file.
#include <saltus/io/parameters/application.h>

#include "solver.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::Polytopic;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Solve -div(A grad u) + b.grad u + c u = f on polytopic elements.",
    [](const Parameters &parameters, const Saltus::RunSettings &settings) {
      if (parameters.equation.dim == 2)
        Solver<2>(parameters, settings).run();
      else
        Solver<3>(parameters, settings).run();
    });
}
