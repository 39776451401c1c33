// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_lax_friedrichs_h
#define saltus_physics_lax_friedrichs_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  /// Local Lax-Friedrichs (Rusanov) flux
  /// \f$ \frac12 (F(u^-) + F(u^+))\cdot n - \frac12 \lambda (u^+ - u^-) \f$, with \f$\lambda\f$ the
  /// larger wave speed of the two sides.
  /// @param law any conservation law with `flux` and `wave_speed`
  /// @param inside,outside states on the two sides of the face
  /// @param field coefficient fields at the point
  /// @param n unit normal, from inside to outside
  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  Array<T, Law::n_components>
  lax_friedrichs_flux(const Law                         &law,
                      const Array<T, Law::n_components> &inside,
                      const Array<T, Law::n_components> &outside,
                      const Array<T, Law::n_fields>     &field,
                      const Array<T, Law::dimension>    &n)
  {
    const T    lambda    = max(law.wave_speed(inside, field, n), law.wave_speed(outside, field, n));
    const auto f_inside  = law.flux(inside, field, n);
    const auto f_outside = law.flux(outside, field, n);

    Array<T, Law::n_components> result;
    for (int c = 0; c < Law::n_components; ++c)
      result[c] = T(0.5) * (f_inside[c] + f_outside[c] - lambda * (outside[c] - inside[c]));
    return result;
  }
} // namespace Saltus

#endif
