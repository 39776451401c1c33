// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_gradients_h
#define saltus_operators_spaces_hanging_gradients_h

#include <saltus/operators/spaces/hanging_arrays.h>

namespace Saltus
{
  /// Hanging faces of forms that have gradients. At the points of a side values and, in reference
  /// directions, derivatives of all components belong together: `[k][c]`, k = 0 for values and
  /// 1 + r for derivatives.
  template <typename Number>
  struct HangingGradients
  {
    /// Its fluxes are `[number][q][k][c]`: room for what values and derivatives of the test
    /// functions of both sides are multiplied with, at the sides' points.
    HangingArrays<Number> faces;
    /// `[i][q][s][r][d]`, at the points of the smaller elements: gradients of the reference
    /// coordinates of these, s = 0, and of the larger elements, s = 1
    const Number *metrics = nullptr;
    /// `[number][q][k][c]`: room for traces of both sides at their points
    Number *traces = nullptr;
    /// `[i][q][k][c]`: room for what the fluxes of the larger elements would be at the points of
    /// the parts, counted as the larger face has them
    Number *terms = nullptr;
  };
} // namespace Saltus

#endif
