// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_flow_flow_output_h
#define saltus_io_flow_flow_output_h

#include <saltus/io/functions/quantities.h>
#include <saltus/operators/flow/flow_fields.h>

namespace Saltus
{
  /// What an incompressible flow shows, from its FlowFields: velocity, pressure, vorticity (in 2D
  /// one number), the Q criterion \f$ \frac12 ((\nabla\cdot u)^2 - \partial_j u_i\, \partial_i u_j)
  /// \f$ (J. Jeong, F. Hussain, J. Fluid Mech. 285, 1995).
  template <int dim>
  Quantities
  flow_quantities();
} // namespace Saltus

#endif
