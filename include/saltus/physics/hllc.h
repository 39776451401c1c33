// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_hllc_h
#define saltus_physics_hllc_h

#include <saltus/physics/gas_side.h>

namespace Saltus
{
  /// Speeds of the two outer waves and the contact between them.
  template <typename T>
  struct HllcSpeeds
  {
    T left, contact, right;
  };

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
              const GasSide<T>                  &l,
              const GasSide<T>                  &r)
  {
    // Weights proportional to the roots of the densities.
    const T ratio = sqrt(r.density * l.inverse);
    const T w_l = T(1) / (T(1) + ratio), w_r = ratio * w_l;
    const T v_l = w_l * l.inverse, v_r = w_r * r.inverse; // those of momenta
    const T un = w_l * l.velocity + w_r * r.velocity;
    T       v2 = T(0) * un;
    for (int d = 0; d < Law::dimension; ++d)
      {
        const T v = v_l * inside[1 + d] + v_r * outside[1 + d];
        v2        = v2 + v * v;
      }
    constexpr int energy = Law::dimension + 1;
    const T       h = v_l * (inside[energy] + l.pressure) + v_r * (outside[energy] + r.pressure);
    // An inadmissible state must not hide behind a NaN here: the check of the states reports it.
    return {un, sqrt(max((T(law.gamma) - T(1)) * (h - T(0.5) * v2), T(0) * un))};
  }

  /// Outer speeds of Davis bounded by Roe averages as Einfeldt proposes (Toro, equations 10.52 to
  /// 10.54), and that of the contact (10.37).
  template <typename T>
  SALTUS_HOST_DEVICE
  HllcSpeeds<T>
  hllc_speeds(const GasSide<T> &l, const GasSide<T> &r, const RoeAverage<T> &average)
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
  /// @param l,r their sides, see gas_side()
  template <typename Law, typename T>
  SALTUS_HOST_DEVICE
  Array<T, Law::n_components>
  hllc_flux(const Law                         &law,
            const Array<T, Law::n_components> &inside,
            const Array<T, Law::n_components> &outside,
            const Array<T, Law::dimension>    &n,
            const GasSide<T>                  &l,
            const GasSide<T>                  &r)
  {
    constexpr int       energy = Law::dimension + 1;
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
    const T    wave    = select(outward > T(0), s, T(0) * s);

    // The flux of this side, v_n u + p (0, n, v_n), and s times the jump to its star state,
    // (ratio - 1) u + (s_m - v_n) [rho ratio (0, n, s_m) + fan p (0, 0, 1)].
    const T speed = un + wave * (ratio - T(1));
    const T shift = wave * (s_m - un);
    const T push  = rho * ratio * shift;

    Array<T, Law::n_components> result;
    for (int c = 0; c < Law::n_components; ++c)
      result[c] = speed * select(left, inside[c], outside[c]);
    for (int d = 0; d < Law::dimension; ++d)
      result[1 + d] = result[1 + d] + (p + push) * n[d];
    result[energy] = result[energy] + p * un + push * s_m + fan * shift * p;
    return result;
  }
} // namespace Saltus

#endif
