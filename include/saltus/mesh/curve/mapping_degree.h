// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_curve_mapping_degree_h
#define saltus_mesh_curve_mapping_degree_h

#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>

#include <saltus/mesh/curve/mapping_by_shape.h>

#include <algorithm>

namespace Saltus
{
  /// Degree of the polynomials that are the maps of cells; 1 of affine ones, and of bilinear and
  /// trilinear ones; the highest where it goes by shape. A mapping that does not say it counts as
  /// one of degree 1.
  template <int dim>
  unsigned int
  mapping_degree(const dealii::Mapping<dim> &mapping)
  {
    if (const auto *of_fe = dynamic_cast<const dealii::MappingFE<dim> *>(&mapping))
      return of_fe->get_degree();
    if (const auto *of_hypercubes = dynamic_cast<const dealii::MappingQ<dim> *>(&mapping))
      return of_hypercubes->get_degree();
    if (const auto *by_shape = dynamic_cast<const MappingByShape<dim> *>(&mapping))
      return std::max(mapping_degree(by_shape->of(dealii::ReferenceCells::get_simplex<dim>())),
                      mapping_degree(by_shape->of(dealii::ReferenceCells::get_hypercube<dim>())));
    return 1;
  }
} // namespace Saltus

#endif
