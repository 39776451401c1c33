// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_discretization_parameters_h
#define saltus_io_parameters_discretization_parameters_h

#include <deal.II/base/parameter_handler.h>

namespace Saltus
{
  /// The entries of the section `Discretization` that all programs have.
  struct DegreeAndCycles
  {
    /// @param degrees those that are accepted
    void
    add_parameters(dealii::ParameterHandler &prm, const dealii::Patterns::Integer &degrees);

    unsigned int degree = 2, n_cycles = 1;
  };
} // namespace Saltus

#endif
