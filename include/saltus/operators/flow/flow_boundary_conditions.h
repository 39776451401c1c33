// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_flow_boundary_conditions_h
#define saltus_operators_flow_flow_boundary_conditions_h

#include <saltus/operators/elliptic/elliptic_boundary_conditions.h>
#include <saltus/physics/incompressible_flow.h>

#include <set>

namespace Saltus
{
  /// What holds on one part of the boundary of an incompressible flow.
  template <int dim>
  struct FlowBoundaryCondition
  {
    FlowBoundary       kind = FlowBoundary::velocity;
    FieldFunction<dim> data; ///< the velocity or, at an outflow, the pressure; empty: zero
    FieldFunction<dim> normal_derivative; ///< of the velocity, at an outflow; empty: zero
  };

  /// What holds on each part of the boundary of an incompressible flow, by boundary id.
  template <int dim>
  class FlowBoundaryConditions : public ConditionsById<FlowBoundaryCondition<dim>>
  {
  public:
    using Condition = FlowBoundaryCondition<dim>;

    /// @throws dealii::ExcMessage if there is no condition for @p id, or its data has not as many
    /// components as its kind needs
    const Condition &
    at(const dealii::types::boundary_id id) const;

    /// What the viscous operator is given on a boundary: the velocity or its normal derivative.
    const FieldFunction<dim> &
    viscous_data(const dealii::types::boundary_id id) const
    {
      const Condition &condition = at(id);
      return condition.kind == FlowBoundary::velocity ? condition.data
                                                      : condition.normal_derivative;
    }

    /// The velocity is @p velocity (`dim` components).
    void
    set_velocity(const dealii::types::boundary_id id, const FieldFunction<dim> &velocity);

    /// A wall at rest, to which the fluid sticks.
    void
    set_no_slip(const dealii::types::boundary_id id);

    /// A wall along which the fluid glides, or a plane of symmetry.
    void
    set_slip(const dealii::types::boundary_id id);

    /// The fluid leaves (Karakus et al., equation 5), against the pressure @p pressure (one
    /// component). Where the flow there is known the normal derivative of the velocity, `dim`
    /// components, can be something else than zero.
    void
    set_outflow(const dealii::types::boundary_id id,
                const FieldFunction<dim>        &pressure          = {},
                const FieldFunction<dim>        &normal_derivative = {});

    /// These with what faces have to elements of another shape, on meshes that mix shapes: the
    /// kind FlowBoundary::across.
    FlowBoundaryConditions
    of_parts() const;

    /// For the pressure, or its change: Dirichlet conditions at outflows, Neumann conditions
    /// elsewhere.
    EllipticBoundaryConditions<dim>
    of_pressure() const;

    /// For one component of the velocity, without data: Dirichlet conditions where the velocity is
    /// given and on those slip walls that are @p across it, Neumann conditions elsewhere.
    EllipticBoundaryConditions<dim>
    of_component(const std::set<dealii::types::boundary_id> &across = {}) const;
  };
} // namespace Saltus

#endif
