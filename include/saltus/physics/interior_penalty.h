// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_interior_penalty_h
#define saltus_physics_interior_penalty_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  /// What is known on a boundary face of an elliptic problem.
  enum class EllipticBoundary : unsigned char
  {
    dirichlet, ///< u = g
    neumann,   ///< k du/dn = g
    robin      ///< k du/dn + a u = g
  };

  /// What a face integral multiplies a test function v and its normal flux k dv/dn with.
  template <typename T>
  struct InteriorPenaltyTerms
  {
    T value, flux;
  };

  /// Symmetric interior penalty (Arnold, SIAM J. Numer. Anal. 19, 1982; Karakus et al., equation
  /// 13) at a point of an interior face, seen from inside.
  /// @param u_in,u_out values on the two sides
  /// @param q_in,q_out fluxes k du/dn with the normal that points outwards
  template <typename T>
  SALTUS_HOST_DEVICE
  InteriorPenaltyTerms<T>
  interior_penalty(const T &u_in, const T &u_out, const T &q_in, const T &q_out, const T &penalty)
  {
    const T jump = u_in - u_out;
    return {penalty * jump - T(0.5) * (q_in + q_out), T(-0.5) * jump};
  }

  /// The same at the boundary, with the data @p g and the coefficient @p a of a Robin condition.
  template <typename T>
  SALTUS_HOST_DEVICE
  InteriorPenaltyTerms<T>
  interior_penalty_boundary(const EllipticBoundary kind,
                            const T               &u,
                            const T               &q,
                            const T               &penalty,
                            const T               &g,
                            const T               &a)
  {
    switch (kind)
      {
        case EllipticBoundary::dirichlet:
          // One element bears the whole flux: it needs twice the penalty of two.
          return {T(2) * penalty * (u - g) - q, g - u};
        case EllipticBoundary::robin:
          return {a * u - g, T(0)};
        default:
          return {-g, T(0)};
      }
  }
} // namespace Saltus

#endif
