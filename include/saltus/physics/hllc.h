// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_hllc_h
#define saltus_physics_hllc_h

#include <saltus/physics/array.h>

namespace Saltus
{
  /// HLLC flux of the Euler equations: Toro, Riemann Solvers and Numerical Methods for Fluid
  /// Dynamics, 3rd edition, section 10.4, with the wave speeds of Davis bounded by Roe averages as
  /// Einfeldt proposes (equations 10.52 to 10.54).
  /// @param inside,outside conserved states (density, momentum, total energy)
  /// @param n unit normal, from inside to outside
  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  Array<T, Law::n_components>
  hllc_flux(const Law                         &law,
            const Array<T, Law::n_components> &inside,
            const Array<T, Law::n_components> &outside,
            const Array<T, Law::dimension>    &n)
  {
    constexpr int dim    = Law::dimension;
    constexpr int energy = dim + 1;
    const T       gamma  = T(law.gamma);

    // One side: density, normal velocity, pressure, enthalpy.
    const T rho_l = inside[0], rho_r = outside[0];
    const T root_l = rsqrt(rho_l), root_r = rsqrt(rho_r);
    const T inv_l = root_l * root_l, inv_r = root_r * root_r;
    T       un_l = inside[1] * n[0], un_r = outside[1] * n[0];
    for (int d = 1; d < dim; ++d)
      {
        un_l = un_l + inside[1 + d] * n[d];
        un_r = un_r + outside[1 + d] * n[d];
      }
    un_l        = un_l * inv_l;
    un_r        = un_r * inv_r;
    const T p_l = law.pressure(inside), p_r = law.pressure(outside);
    const T h_l = (inside[energy] + p_l) * inv_l, h_r = (outside[energy] + p_r) * inv_r;
    const T c_l = sqrt(gamma * p_l * inv_l), c_r = sqrt(gamma * p_r * inv_r);

    // Roe averages.
    const T w_l = rho_l * root_l, w_r = rho_r * root_r;
    const T w  = T(1) / (w_l + w_r);
    const T un = (w_l * un_l + w_r * un_r) * w;
    T       v2 = T(0) * un;
    for (int d = 0; d < dim; ++d)
      {
        const T v = (w_l * inside[1 + d] * inv_l + w_r * outside[1 + d] * inv_r) * w;
        v2        = v2 + v * v;
      }
    const T h = (w_l * h_l + w_r * h_r) * w;
    // An inadmissible state must not hide behind a NaN here: the check of the states reports it.
    const T c = sqrt(max((gamma - T(1)) * (h - T(0.5) * v2), T(0) * un));

    const T s_l = min(un_l - c_l, un - c), s_r = max(un_r + c_r, un + c);
    const T m_l = rho_l * (s_l - un_l), m_r = rho_r * (s_r - un_r);
    const T s_m = (p_r - p_l + un_l * m_l - un_r * m_r) / (m_l - m_r);

    // The side of the contact that the face sees, and its star state.
    const auto left    = s_m >= T(0);
    const T    s       = select(left, s_l, s_r);
    const T    un_s    = select(left, un_l, un_r);
    const T    p_s     = select(left, p_l, p_r);
    const T    rho_s   = select(left, rho_l, rho_r);
    const T    outward = select(left, -s, s); // > 0: the face lies inside the fan on this side
    const T    fan     = T(1) / (s - s_m);
    const T    ratio   = (s - un_s) * fan;
    const T    shift   = rho_s * ratio * (s_m - un_s);
    const T    star    = select(outward > T(0), T(1) + T(0) * s, T(0) * s);

    Array<T, Law::n_components> result;
    for (int c_ = 0; c_ < Law::n_components; ++c_)
      {
        const T u      = select(left, inside[c_], outside[c_]);
        T       f      = u * un_s;
        T       u_star = ratio * u;
        if (c_ > 0 && c_ < energy)
          {
            f      = f + p_s * n[c_ - 1];
            u_star = u_star + shift * n[c_ - 1];
          }
        if (c_ == energy)
          {
            f      = f + p_s * un_s;
            u_star = u_star + shift * s_m + fan * (s_m - un_s) * p_s;
          }
        result[c_] = f + star * s * (u_star - u);
      }
    return result;
  }
} // namespace Saltus

#endif
