// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_flow_quadrature_h
#define saltus_operators_flow_flow_quadrature_h

#include <saltus/mesh/element_mesh.h>

namespace Saltus
{
  /// What integrates products of two functions of degree @p degree with the metric of the elements
  /// exactly, and so gradient and divergence: each is then minus the transpose of the other on
  /// curved elements, too. The mass matrices on both sides of an implicit step are made with it:
  /// what they differ by would be taken for a change in time. On quadrilaterals and hexahedra these
  /// have the points of the basis, which is exact for maps of degree 2 and 1.
  template <int dim>
  unsigned int
  linear_degree(const ElementMesh<dim> &mesh, const unsigned int degree)
  {
    const bool has_metric = mesh.geometry.has_curved_elements && mesh.shape.is_simplex();
    return 2 * degree + (has_metric ? (dim - 1) * (mesh.geometry.map_degree - 1) : 0);
  }
} // namespace Saltus

#endif
