// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Solve a hyperbolic conservation law from a parameter file.
#include <saltus/io/parameters/application.h>

#include "parameters.h"

namespace Saltus::ConservationLaw
{
  void
  run_euler(const Parameters &parameters, const RunSettings &settings);

  void
  run_advection(const Parameters &parameters, const RunSettings &settings);
} // namespace Saltus::ConservationLaw

int
main(int argc, char **argv)
{
  using namespace Saltus::ConservationLaw;
  return Saltus::run_application<Parameters>(
    argc,
    argv,
    "Solve a hyperbolic conservation law on triangles, quadrilaterals, tetrahedra or hexahedra.",
    [](const Parameters &parameters, const Saltus::RunSettings &settings) {
      if (parameters.equation.is_gas())
        run_euler(parameters, settings);
      else
        run_advection(parameters, settings);
    });
}
