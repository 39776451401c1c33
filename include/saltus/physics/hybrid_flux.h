// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_hybrid_flux_h
#define saltus_physics_hybrid_flux_h

#include <saltus/physics/hllc.h>

namespace Saltus
{
  /// HLLC flux of the Euler equations, blended with that of Lax and Friedrichs where the pressure
  /// jumps, \f[ \hat f = (1 - w) \hat f_\text{HLLC} + w \hat f_\text{LF}, \qquad
  ///            w = \min\left(1, \frac{|p^+ - p^-|}{\alpha \min(p^-, p^+)}\right). \f]
  /// Along a shock HLLC damps disturbances too little, so that they grow (the carbuncle). What
  /// changes the flux there is Quirk's criterion (A contribution to the great Riemann solver
  /// debate, Int. J. Numer. Meth. Fluids 18, 1994), which takes another flux than a complete one
  /// where \f$ w \f$ reaches 1. Here it is a ramp, so that the flux is continuous, and the other
  /// flux is not his (HLL's): on a face that cuts a moving shock at an angle all waves may go the
  /// same way, and HLL's flux is then HLLC's. Contacts and shear waves, across which the pressure
  /// does not jump, stay exact; where the solution is smooth, jumps and weight vanish with the mesh
  /// width. A convex combination of positive fluxes is one itself.
  /// @param inside,outside conserved states (density, momentum, total energy)
  /// @param n unit normal, from inside to outside
  /// @param l,r their sides, see gas_side()
  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  Array<T, Law::n_components>
  hybrid_flux(const Law                         &law,
              const Array<T, Law::n_components> &inside,
              const Array<T, Law::n_components> &outside,
              const Array<T, Law::dimension>    &n,
              const GasSide<T>                  &l,
              const GasSide<T>                  &r)
  {
    constexpr double alpha  = 0.1;
    const T          jump   = abs(r.pressure - l.pressure);
    const T          large  = T(alpha) * min(l.pressure, r.pressure);
    const T          weight = select(jump < large, jump / large, T(1));

    Array<T, Law::n_components>       flux      = hllc_flux(law, inside, outside, n, l, r);
    const Array<T, Law::n_components> diffusive = gas_lax_friedrichs_flux(inside, outside, n, l, r);
    for (int c = 0; c < Law::n_components; ++c)
      flux[c] = flux[c] + weight * (diffusive[c] - flux[c]);
    return flux;
  }
} // namespace Saltus

#endif
