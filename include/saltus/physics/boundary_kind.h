// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_boundary_kind_h
#define saltus_physics_boundary_kind_h

namespace Saltus
{
  /// How the state outside a boundary face follows from the state inside and the prescribed data.
  /// A law says with `supports(kind)` which of them it knows. (Periodic faces are interior faces.)
  enum class BoundaryKind : unsigned char
  {
    prescribed,           ///< the data; the numerical flux takes from it what enters
    wall,                 ///< the state inside with the velocity reflected about the wall's tangent
    outflow,              ///< the state inside: everything leaves (supersonic outflow)
    far_field,            ///< characteristic combination of the state inside and the data
    pressure_outlet,      ///< given: the pressure, for subsonic outflow
    total_pressure_inlet, ///< given: total pressure and temperature and the flow's direction
    no_slip_wall,         ///< of a viscous flow, through which no heat passes
    isothermal_wall       ///< of a viscous flow; given: the temperature
  };

  /// Whether flows stick to a boundary of this kind, as only viscous ones do.
  constexpr bool
  is_no_slip(const BoundaryKind kind)
  {
    return kind == BoundaryKind::no_slip_wall || kind == BoundaryKind::isothermal_wall;
  }

  /// How many numbers are given at each point of a boundary of this kind, for a law with states of
  /// @p n_components. Walls of no slip may have their velocity behind these.
  constexpr int
  n_boundary_data(const BoundaryKind kind, const int n_components)
  {
    switch (kind)
      {
        case BoundaryKind::wall:
        case BoundaryKind::outflow:
        case BoundaryKind::no_slip_wall:
          return 0;
        case BoundaryKind::pressure_outlet:
        case BoundaryKind::isothermal_wall:
          return 1;
        default:
          return n_components;
      }
  }
} // namespace Saltus

#endif
