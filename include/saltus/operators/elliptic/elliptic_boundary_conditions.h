// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_elliptic_boundary_conditions_h
#define saltus_operators_elliptic_elliptic_boundary_conditions_h

#include <saltus/operators/spaces/conditions_by_id.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/physics/interior_penalty.h>

namespace Saltus
{
  /// What holds on one part of the boundary of an elliptic problem.
  template <int dim>
  struct EllipticBoundaryCondition
  {
    EllipticBoundary   kind  = EllipticBoundary::dirichlet;
    double             robin = 0; ///< coefficient of a Robin condition
    FieldFunction<dim> data;      ///< empty: zero
  };

  /// What holds on each part of the boundary of an elliptic problem, by boundary id.
  template <int dim>
  class EllipticBoundaryConditions : public ConditionsById<EllipticBoundaryCondition<dim>>
  {
  public:
    using Condition = EllipticBoundaryCondition<dim>;

    /// u = @p data
    void
    set_dirichlet(const dealii::types::boundary_id id, const FieldFunction<dim> &data = {});

    /// k du/dn = @p data
    void
    set_neumann(const dealii::types::boundary_id id, const FieldFunction<dim> &data = {});

    /// k du/dn + @p coefficient u = @p data
    /// @throws dealii::ExcMessage for a negative coefficient
    void
    set_robin(const dealii::types::boundary_id id,
              const double                     coefficient,
              const FieldFunction<dim>        &data = {});
  };
} // namespace Saltus

#endif
