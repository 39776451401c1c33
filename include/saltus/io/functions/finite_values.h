// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_finite_values_h
#define saltus_io_functions_finite_values_h

#include <deal.II/base/point.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/expressions/expression.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// Centres of this rank's cells.
  template <int dim>
  std::vector<dealii::Point<dim>>
  cell_centers(const dealii::Mapping<dim>       &mapping,
               const dealii::Triangulation<dim> &triangulation);

  /// Centres of the boundary faces of this rank's cells with one boundary id.
  template <int dim>
  std::vector<dealii::Point<dim>>
  face_centers(const dealii::Mapping<dim>       &mapping,
               const dealii::Triangulation<dim> &triangulation,
               const dealii::types::boundary_id  id);

  /// Evaluate @p expression at all @p points.
  /// @param entry path of the parameter, for messages
  /// @throws dealii::ExcMessage with entry, expression, point and time if a value is infinite or no
  /// number
  template <int dim>
  void
  check_finite(const Expression                      &expression,
               const std::string                     &entry,
               const std::vector<dealii::Point<dim>> &points,
               const double                           time = 0.);

  /// The same for one that is constant; of others the points must be known.
  void
  check_constant(const Expression &expression, const std::string &entry);
} // namespace Saltus

#endif
