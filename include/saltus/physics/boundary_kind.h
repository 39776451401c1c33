// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_boundary_kind_h
#define saltus_physics_boundary_kind_h

namespace Saltus
{
  /// How the state outside a boundary face follows from the state inside and the prescribed data.
  /// A law says with `supports(kind)` which of them it knows. (Periodic faces are interior faces.)
  enum class BoundaryKind : unsigned char
  {
    prescribed, ///< the data; the numerical flux takes from it what enters
    wall,       ///< the state inside with the velocity reflected about the wall's tangent
    outflow,    ///< the state inside: everything leaves (supersonic outflow)
    far_field   ///< characteristic combination of the state inside and the data
  };
} // namespace Saltus

#endif
