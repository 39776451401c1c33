// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Time the kernels on which everything is built.
#include <saltus/io/application.h>

#include "timing.h"

using namespace dealii;

namespace
{
  void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry(
      "Equation",
      "Euler",
      Patterns::MultipleSelection("Euler|advection|Laplace"),
      "Which laws to time: a Runge-Kutta stage of Euler or advection, or the parts of an elliptic solver.");
    prm.declare_entry("Parts",
                      "operator, vectors, smoother, cycle",
                      Patterns::MultipleSelection("operator|vectors|smoother|cycle"),
                      "Of the elliptic solver; setting up the last one takes long.");
    prm.declare_entry("Numerical flux",
                      "HLLC",
                      Patterns::Selection("HLLC|Lax-Friedrichs"),
                      "Riemann solver (Euler).");
    prm.declare_entry("Dimensions",
                      "2, 3",
                      Patterns::List(Patterns::Integer(2, 3)),
                      "Which shapes.");
    prm.declare_entry("Precisions",
                      "double, float",
                      Patterns::MultipleSelection("double|float"),
                      "Which number types.");
    prm.declare_entry("Million degrees of freedom",
                      "10",
                      Patterns::Double(0.01),
                      "Approximate size of each problem.");
    prm.declare_entry("Repetitions",
                      "20",
                      Patterns::Integer(3),
                      "Timings, of which the median counts.");
  }

  void
  run(ParameterHandler &prm)
  {
    const Saltus::Throughput::Settings settings(prm);
    print_header(settings);
    time_conservation_laws(settings);
    time_elliptic(settings);
  }
} // namespace

int
main(int argc, char **argv)
{
  return Saltus::run_application(
    argc,
    argv,
    "Time Runge-Kutta stages of conservation laws and the parts of elliptic solvers, as fractions "
    "of the time to move the fewest bytes and to perform the operations as multiply-adds.",
    declare_parameters,
    run);
}
