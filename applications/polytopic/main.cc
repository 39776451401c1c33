// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a stationary or parabolic advection-diffusion-reaction problem on polytopic elements, from
// a parameter file.
#include <saltus/io/parameters/application.h>

#include "slab_problem.h"
#include "solver.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::Polytopic;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Solve -div(A grad u) + b.grad u + c u = f, or the parabolic problem with u_t, on polytopic "
    "elements.",
    [](const Parameters &parameters, const Saltus::RunSettings &settings) {
      if (parameters.time.is_used())
        run_slabs<2>(parameters, settings);
      else if (parameters.equation.dim == 2)
        Solver<2>(parameters, settings).run();
      else
        Solver<3>(parameters, settings).run();
    });
}
