// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_tetrahedron_rule_h
#define saltus_fe_tetrahedron_rule_h

#include <deal.II/base/quadrature.h>

namespace Saltus
{
  /// A rule with 156 points on the reference tetrahedron that integrates polynomials of degree 12
  /// exactly, where a collapsed Gauss rule takes 512. All points are inside and all weights
  /// positive; permutations of the vertices permute the points.
  dealii::Quadrature<3>
  tetrahedron_rule_of_degree_12();
} // namespace Saltus

#endif
