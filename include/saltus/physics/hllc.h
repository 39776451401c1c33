// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_hllc_h
#define saltus_physics_hllc_h

#include <saltus/physics/array.h>

namespace Saltus
{
  /// What the HLLC flux needs to know of one side of a face.
  template <typename T>
  struct HllcSide
  {
    T density, inverse_root, inverse; ///< \f$ \rho, 1/\sqrt\rho, 1/\rho \f$
    T velocity;                       ///< along the normal
    T pressure;
    T enthalpy; ///< total, per mass
    T sound_speed;
  };

  /// Speeds of the two outer waves and the contact between them.
  template <typename T>
  struct HllcSpeeds
  {
    T left, contact, right;
  };

  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  HllcSide<T>
  hllc_side(const Law &law, const Array<T, Law::n_components> &u, const Array<T, Law::dimension> &n)
  {
    constexpr int dim = Law::dimension;
    HllcSide<T>   side;
    side.density      = u[0];
    side.inverse_root = rsqrt(u[0]);
    side.inverse      = side.inverse_root * side.inverse_root;
    T momentum        = u[1] * n[0];
    for (int d = 1; d < dim; ++d)
      momentum = momentum + u[1 + d] * n[d];
    side.velocity    = momentum * side.inverse;
    side.pressure    = law.pressure(u);
    side.enthalpy    = (u[dim + 1] + side.pressure) * side.inverse;
    side.sound_speed = sqrt(T(law.gamma) * side.pressure * side.inverse);
    return side;
  }

  /// Velocity along the normal and speed of sound of Roe's average.
  template <typename T>
  struct RoeAverage
  {
    T velocity, sound_speed;
  };

  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  RoeAverage<T>
  roe_average(const Law                         &law,
              const Array<T, Law::n_components> &inside,
              const Array<T, Law::n_components> &outside,
              const HllcSide<T>                 &l,
              const HllcSide<T>                 &r)
  {
    const T w_l = l.density * l.inverse_root, w_r = r.density * r.inverse_root;
    const T w  = T(1) / (w_l + w_r);
    const T un = (w_l * l.velocity + w_r * r.velocity) * w;
    T       v2 = T(0) * un;
    for (int d = 0; d < Law::dimension; ++d)
      {
        const T v = (w_l * inside[1 + d] * l.inverse + w_r * outside[1 + d] * r.inverse) * w;
        v2        = v2 + v * v;
      }
    const T h = (w_l * l.enthalpy + w_r * r.enthalpy) * w;
    // An inadmissible state must not hide behind a NaN here: the check of the states reports it.
    return {un, sqrt(max((T(law.gamma) - T(1)) * (h - T(0.5) * v2), T(0) * un))};
  }

  /// Outer speeds of Davis bounded by Roe averages as Einfeldt proposes (Toro, equations 10.52 to
  /// 10.54), and that of the contact (10.37).
  template <typename T>
  SALTUS_HOST_DEVICE
  HllcSpeeds<T>
  hllc_speeds(const HllcSide<T> &l, const HllcSide<T> &r, const RoeAverage<T> &average)
  {
    const T left  = min(l.velocity - l.sound_speed, average.velocity - average.sound_speed);
    const T right = max(r.velocity + r.sound_speed, average.velocity + average.sound_speed);
    const T m_l = l.density * (left - l.velocity), m_r = r.density * (right - r.velocity);
    return {left,
            (r.pressure - l.pressure + l.velocity * m_l - r.velocity * m_r) / (m_l - m_r),
            right};
  }

  /// HLLC flux of the Euler equations: Toro, Riemann Solvers and Numerical Methods for Fluid
  /// Dynamics, 3rd edition, section 10.4.
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
    constexpr int       energy = Law::dimension + 1;
    const HllcSide<T>   l = hllc_side(law, inside, n), r = hllc_side(law, outside, n);
    const HllcSpeeds<T> speeds = hllc_speeds(l, r, roe_average(law, inside, outside, l, r));

    // The side of the contact that the face sees, and its star state (10.39).
    const T    s_m     = speeds.contact;
    const auto left    = s_m >= T(0);
    const T    s       = select(left, speeds.left, speeds.right);
    const T    un      = select(left, l.velocity, r.velocity);
    const T    p       = select(left, l.pressure, r.pressure);
    const T    rho     = select(left, l.density, r.density);
    const T    outward = select(left, -s, s); // > 0: the face lies inside the fan on this side
    const T    fan     = T(1) / (s - s_m);
    const T    ratio   = (s - un) * fan;
    const T    shift   = rho * ratio * (s_m - un);
    const T    star    = select(outward > T(0), T(1) + T(0) * s, T(0) * s);

    Array<T, Law::n_components> result;
    for (int c = 0; c < Law::n_components; ++c)
      {
        const T u      = select(left, inside[c], outside[c]);
        T       f      = u * un;
        T       u_star = ratio * u;
        if (c > 0 && c < energy)
          {
            f      = f + p * n[c - 1];
            u_star = u_star + shift * n[c - 1];
          }
        if (c == energy)
          {
            f      = f + p * un;
            u_star = u_star + shift * s_m + fan * (s_m - un) * p;
          }
        result[c] = f + star * s * (u_star - u);
      }
    return result;
  }
} // namespace Saltus

#endif
