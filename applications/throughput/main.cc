// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time the kernels on which everything is built.
#include <saltus/io/parameters/application.h>

#include "timing.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::Throughput;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Time Runge-Kutta stages of conservation laws, the operators of incompressible flow, the "
    "parts of elliptic solvers and the assembly of polytopic elements, as fractions of the time to move the fewest bytes and to perform the "
    "operations as multiply-adds.",
    [](const Parameters &parameters, const Saltus::RunSettings &run) {
      const Settings settings(parameters, run);
      print_header(settings);
      time_conservation_laws(settings);
      time_flow(settings);
      time_elliptic(settings);
      time_polytopic(settings);
    });
}
