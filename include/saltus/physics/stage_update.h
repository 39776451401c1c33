// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_stage_update_h
#define saltus_physics_stage_update_h

#include <saltus/base/device/host_device.h>

namespace Saltus
{
  /// One stage of an explicit Runge-Kutta scheme. The residual is \f$ r = M^{-1} (L(u) + t) \f$
  /// with second-order terms t. \f[ s \leftarrow A\, s + w\, \Delta t\, r, \qquad
  ///     u_\text{out} = u_0 + a\, (u - u_0) + c\, \Delta t\, r + d\, s. \f]
  /// The state \f$ u_0 \f$ is the base, or zero without has_base. This form of a convex combination
  /// keeps a constant state to the last bit. Rounded factors of two states need not sum up to 1.
  struct StageCoefficients
  {
    double A = 0, w = 0;
    double a        = 0;
    bool   has_base = false;
    double c = 0, d = 0;
    double time   = 0; ///< stage time as a fraction of the step
    double weight = 0; ///< weight of this stage's \f$ r \f$ in the step (its Butcher tableau's b)

    SALTUS_HOST_DEVICE
    bool
    accumulates() const
    {
      return w != 0 || d != 0;
    }

    SALTUS_HOST_DEVICE
    bool
    reads_accumulator() const
    {
      return accumulates() && A != 0;
    }
  };

  /// The update of a stage in the precision of a kernel.
  template <typename Number>
  struct StageUpdate
  {
    Number A, w, a, c, d; ///< see StageCoefficients; w and c contain the time step

    SALTUS_HOST_DEVICE
    StageUpdate(const StageCoefficients &of_stage, const double dt)
      : A(of_stage.A)
      , w(of_stage.w * dt)
      , a(of_stage.a)
      , c(of_stage.c * dt)
      , d(of_stage.d)
    {}

    /// Returns the new accumulator.
    /// @param s the old one; 0 where it is not read
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    accumulator(const T &s, const T &r) const
    {
      return T(w) * r + T(A) * s;
    }

    /// Returns the new state.
    /// @param base 0 where there is none
    /// @param s the new accumulator; 0 where there is none
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    state(const T &u, const T &base, const T &r, const T &s) const
    {
      return base + T(a) * (u - base) + T(c) * r + T(d) * s;
    }
  };
} // namespace Saltus

#endif
