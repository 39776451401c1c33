// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_reference_directions_h
#define saltus_operators_elliptic_kernels_reference_directions_h

#include <saltus/base/device/host_device.h>

// Derivatives in the directions of DerivativeMatrix, from the middle of the vertices before to the
// next vertex, and those in reference coordinates, from the first vertex.

namespace Saltus
{
  /// Make derivatives in the directions of DerivativeMatrix those in reference coordinates.
  /// @param derivative called as `(r)`: a reference to that in direction r
  template <int dim, typename T, typename Derivative>
  SALTUS_HOST_DEVICE
  void
  to_reference_directions(const Derivative &derivative)
  {
    T before = T(0); // from the first vertex to the middle of the vertices before
    SALTUS_UNROLL
    for (int r = 0; r < dim; ++r)
      {
        derivative(r) = derivative(r) + before;
        before        = (T(r + 1) * before + derivative(r)) * (T(1) / T(r + 2));
      }
  }

  /// Make what derivatives in reference coordinates are multiplied with what those in the
  /// directions of DerivativeMatrix are.
  template <int dim, typename T, typename Factor>
  SALTUS_HOST_DEVICE
  void
  from_reference_directions(const Factor &factor)
  {
    SALTUS_UNROLL
    for (int r = dim - 1; r > 0; --r)
      SALTUS_UNROLL
    for (int s = 0; s < r; ++s)
      factor(s) = factor(s) + factor(r) * (T(1) / T(r + 1));
  }
} // namespace Saltus

#endif
