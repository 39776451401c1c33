// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time the operators and solver kernels.
#include <saltus/io/parameters/application.h>

#include "timing.h"

int
main(int argc, char **argv)
{
  using namespace Saltus::Throughput;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Time Runge-Kutta stages of conservation laws, operators of incompressible flow, parts of\n"
    "elliptic solvers and the assembly of polytopic elements. The output compares each time with\n"
    "two lower bounds: minimum memory traffic at the copy rate, and all operations at the\n"
    "multiply-add rate.",
    [](const Parameters &parameters, const Saltus::RunSettings &run) {
      const Settings settings(parameters, run);
      print_header(settings);
      time_conservation_laws(settings);
      time_flow(settings);
      time_elliptic(settings);
      time_polytopic(settings);
      check_rows();
    });
}
