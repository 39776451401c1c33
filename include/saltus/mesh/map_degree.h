// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_map_degree_h
#define saltus_mesh_map_degree_h

#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/element_mesh.h>

#include <algorithm>

namespace Saltus
{
  /// The degree that the maps of curved elements have for polynomials of degree @p degree, if
  /// nothing else is said: one more, as far as there are such maps; on hypercubes, of which
  /// bilinear ones are frequent, at most that of the mapping, which is exact.
  /// @param cell the shape of the elements
  template <int dim>
  unsigned int
  map_degree_for(const dealii::Mapping<dim>  &mapping,
                 const dealii::ReferenceCell &cell,
                 const unsigned int           degree)
  {
    const unsigned int wanted = cell.is_hyper_cube()
                                  ? std::min(degree + 1, mapping_degree(mapping_of(mapping, cell)))
                                  : degree + 1;
    return std::min(wanted, ElementMapping<dim>::max_degree);
  }
} // namespace Saltus

#endif
