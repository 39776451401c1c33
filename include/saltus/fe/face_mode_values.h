// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_face_mode_values_h
#define saltus_fe_face_mode_values_h

#include <vector>

namespace Saltus
{
  /// The modes of SparseModalLayout on the faces of a simplex, of degree @p degree, at the points
  /// of the rule on faces that is exact for the degree @p rule_degree, in the order of
  /// ReferenceElement: `[v][q][m]` for the face opposite vertex v.
  template <int dim>
  std::vector<double>
  face_mode_values(const int degree, const int rule_degree);
} // namespace Saltus

#endif
