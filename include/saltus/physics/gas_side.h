// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_gas_side_h
#define saltus_physics_gas_side_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  /// What numerical fluxes need to know of a gas on one side of a face, each computed once.
  template <typename T>
  struct GasSide
  {
    T density, inverse; ///< \f$ \rho, 1/\rho \f$
    T velocity;         ///< along the normal
    T pressure;
    T sound_speed;
  };

  /// @param u conserved state (density, momentum, total energy)
  /// @param n unit normal
  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  GasSide<T>
  gas_side(const Law &law, const Array<T, Law::n_components> &u, const Array<T, Law::dimension> &n)
  {
    T momentum = u[1] * n[0];
    for (int d = 1; d < Law::dimension; ++d)
      momentum = momentum + u[1 + d] * n[d];
    GasSide<T> side;
    side.density     = u[0];
    side.inverse     = T(1) / u[0];
    side.velocity    = momentum * side.inverse;
    side.pressure    = law.pressure(u, side.inverse);
    side.sound_speed = sqrt(T(law.gamma) * side.pressure * side.inverse);
    return side;
  }

  /// Local Lax-Friedrichs flux of a gas. The flux is \f$ v_n u + p\,(0, n, v_n) \f$, so that
  /// \f[ \hat f = \tfrac12 (v_n^- + \lambda) u^- + \tfrac12 (v_n^+ - \lambda) u^+
  ///              + \tfrac12 (p^- + p^+) (0, n, 0) + \tfrac12 (0, 0, p^- v_n^- + p^+ v_n^+), \f]
  /// \f$ \lambda \f$ being the larger \f$ |v_n| + c \f$. Equal to lax_friedrichs_flux(), with fewer
  /// operations.
  /// @param inside,outside conserved states
  /// @param n unit normal, from inside to outside
  /// @param l,r their sides
  template <typename T, int dim>
  SALTUS_HOST_DEVICE
  Array<T, dim + 2>
  gas_lax_friedrichs_flux(const Array<T, dim + 2> &inside,
                          const Array<T, dim + 2> &outside,
                          const Array<T, dim>     &n,
                          const GasSide<T>        &l,
                          const GasSide<T>        &r)
  {
    constexpr int energy = dim + 1;
    const T       lambda = max(abs(l.velocity) + l.sound_speed, abs(r.velocity) + r.sound_speed);
    const T speed_l = T(0.5) * (l.velocity + lambda), speed_r = T(0.5) * (r.velocity - lambda);
    const T p_l = T(0.5) * l.pressure, p_r = T(0.5) * r.pressure;
    const T p = p_l + p_r;

    Array<T, dim + 2> result;
    for (int c = 0; c < dim + 2; ++c)
      result[c] = speed_l * inside[c] + speed_r * outside[c];
    for (int d = 0; d < dim; ++d)
      result[1 + d] = result[1 + d] + p * n[d];
    result[energy] = result[energy] + p_l * l.velocity + p_r * r.velocity;
    return result;
  }
} // namespace Saltus

#endif
