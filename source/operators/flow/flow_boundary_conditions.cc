// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/flow_boundary_conditions.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  const FlowBoundaryCondition<dim> &
  FlowBoundaryConditions<dim>::at(const types::boundary_id id) const
  {
    const Condition &condition = this->find(id);
    if (!condition.data.empty())
      this->check_data(id, condition, condition.kind == FlowBoundary::velocity ? dim : 1);
    if (!condition.normal_derivative.empty())
      this->check_data(id, {condition.kind, condition.normal_derivative, {}}, dim);
    return condition;
  }

  template <int dim>
  void
  FlowBoundaryConditions<dim>::set_velocity(const types::boundary_id  id,
                                            const FieldFunction<dim> &velocity)
  {
    this->set(id, {FlowBoundary::velocity, velocity, {}});
  }

  template <int dim>
  void
  FlowBoundaryConditions<dim>::set_no_slip(const types::boundary_id id)
  {
    this->set(id, {FlowBoundary::velocity, {}, {}});
  }

  template <int dim>
  void
  FlowBoundaryConditions<dim>::set_slip(const types::boundary_id id)
  {
    this->set(id, {FlowBoundary::slip, {}, {}});
  }

  template <int dim>
  void
  FlowBoundaryConditions<dim>::set_outflow(const types::boundary_id  id,
                                           const FieldFunction<dim> &pressure,
                                           const FieldFunction<dim> &normal_derivative)
  {
    this->set(id, {FlowBoundary::outflow, pressure, normal_derivative});
  }

  template class FlowBoundaryConditions<2>;
  template class FlowBoundaryConditions<3>;
} // namespace Saltus
