// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_mapping_degree_h
#define saltus_mesh_curve_mapping_degree_h

#include <deal.II/fe/mapping_fe.h>

namespace Saltus
{
  /// Degree of the polynomials that are the maps of cells; 1 of affine ones. A mapping that does
  /// not say it counts as one of degree 1.
  template <int dim>
  unsigned int
  mapping_degree(const dealii::Mapping<dim> &mapping)
  {
    const auto *of_fe = dynamic_cast<const dealii::MappingFE<dim> *>(&mapping);
    return of_fe != nullptr ? of_fe->get_degree() : 1;
  }
} // namespace Saltus

#endif
