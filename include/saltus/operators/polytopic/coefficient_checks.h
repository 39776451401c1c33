// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_coefficient_checks_h
#define saltus_operators_polytopic_coefficient_checks_h

#include <saltus/operators/elliptic/elliptic_boundary_conditions.h>
#include <saltus/operators/polytopic/polytopic_points.h>
#include <saltus/operators/spaces/field_function.h>

#include <functional>
#include <string>
#include <vector>

/// What coefficients and conditions of forms on polytopic elements must be, and what they make of
/// facets.
namespace Saltus
{
  /// @param name for the message
  /// @return the number of components
  /// @throws dealii::ExcMessage if that is neither 1 nor @p max_components
  template <int dim>
  int
  check_components(const FieldFunction<dim> &coefficient,
                   const std::string        &name,
                   const unsigned int        max_components);

  /// @param name for the message
  /// @throws dealii::ExcMessage if @p constant is infinite or no number
  void
  check_constant(const double constant, const std::string &name);

  /// @throws dealii::ExcMessage if it has not dim components
  template <int dim>
  void
  check_velocity(const FieldFunction<dim> &velocity);

  /// @param facets,boundary_ids see PolytopicPoints
  /// @param cell,facet in space, by the numbers of owners
  /// @throws dealii::ExcMessage if something is wrong
  template <int dim>
  void
  check_values(const PolytopicFailureRecord                         &what,
               const PolytopicMesh<dim>                             &mesh,
               const Memory<FacetGeometry>                          &facets,
               const std::vector<dealii::types::boundary_id>        &boundary_ids,
               const std::function<std::size_t(const unsigned int)> &cell,
               const std::function<std::size_t(const unsigned int)> &facet);


  /// The facets of elements with their penalties and conditions.
  /// @param factor \f$C_\sigma\f$
  /// @throws dealii::ExcMessage for boundary ids without a condition
  template <int dim>
  Memory<FacetRecord>
  facet_records(const PolytopicSpace<dim>             &space,
                const PolytopicPoints<dim>            &points,
                const EllipticBoundaryConditions<dim> &conditions,
                const PolytopicPenalty                 penalty,
                const double                           factor);
} // namespace Saltus

#endif
