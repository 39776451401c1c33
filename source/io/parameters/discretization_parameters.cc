// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parameters/discretization_parameters.h>

namespace Saltus
{
  void
  DegreeAndCycles::add_parameters(dealii::ParameterHandler        &prm,
                                  const dealii::Patterns::Integer &degrees)
  {
    prm.enter_subsection("Discretization");
    prm.add_parameter("Degree",
                      degree,
                      "Polynomial degree; what there is depends on dimension and device.",
                      degrees);
    prm.add_parameter("Cycles",
                      n_cycles,
                      "Computations, each on a mesh refined once more.",
                      dealii::Patterns::Integer(1, 40));
    prm.leave_subsection();
  }
} // namespace Saltus
