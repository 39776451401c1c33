// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_coefficient_checks_h
#define saltus_operators_polytopic_coefficient_checks_h

#include <saltus/mesh/agglomerate/polytopic_mesh.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>
#include <saltus/operators/spaces/field_function.h>

#include <functional>
#include <string>

/// What coefficients of forms on polytopic elements must be.
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

  /// @throws dealii::ExcMessage if it has not dim components
  template <int dim>
  void
  check_velocity(const FieldFunction<dim> &velocity);

  /// @param cell,facet of space, by the numbers of owners; facets are counted through all elements
  /// @throws dealii::ExcMessage if something is wrong
  template <int dim>
  void
  check_values(const PolytopicFailureRecord                         &what,
               const PolytopicMesh<dim>                             &mesh,
               const std::function<std::size_t(const unsigned int)> &cell,
               const std::function<std::size_t(const unsigned int)> &facet);
} // namespace Saltus

#endif
