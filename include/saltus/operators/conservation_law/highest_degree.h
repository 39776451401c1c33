// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_highest_degree_h
#define saltus_operators_conservation_law_highest_degree_h

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/mesh_arrays.h>

#include <algorithm>

namespace Saltus
{
  /// The highest degree of a conservation law on elements of a shape, if kernels are compiled up to
  /// the degree @p compiled: faces of simplices need a rule of degree \f$ 2p + 1 \f$ whose points
  /// are there again when the vertices change their places.
  template <int dim, ElementShape shape>
  int
  highest_degree(const int compiled)
  {
    if (shape == ElementShape::hypercube)
      return compiled;
    return std::min<int>(compiled, (max_symmetric_degree<dim - 1>() - 1) / 2);
  }
} // namespace Saltus

#endif
