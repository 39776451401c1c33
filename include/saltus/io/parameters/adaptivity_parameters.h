// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_adaptivity_parameters_h
#define saltus_io_parameters_adaptivity_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/mesh/adapt/mesh_adaptor.h>

namespace Saltus
{
  /// The section `Adaptivity`: whether and how the mesh follows the solution.
  struct AdaptivityParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    bool
    is_used() const
    {
      return interval > 0;
    }

    /// @throws dealii::ExcMessage for shares of more than all cells together
    void
    check() const;

    long          interval = 0; ///< steps between two adaptions; 0: none
    AdaptionRules rules;
  };
} // namespace Saltus

#endif
