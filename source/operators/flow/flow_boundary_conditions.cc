// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/flow_boundary_conditions.h>

#include <optional>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// @param given `given(id, condition)`: the data of a Dirichlet condition, or nothing
    template <int dim, typename Given>
    EllipticBoundaryConditions<dim>
    elliptic_conditions(const FlowBoundaryConditions<dim> &conditions, const Given &given)
    {
      EllipticBoundaryConditions<dim> result;
      for (const auto &[id, condition] : conditions.conditions())
        if (const std::optional<FieldFunction<dim>> data = given(id, condition))
          result.set_dirichlet(id, *data);
        else
          result.set_neumann(id);
      for (const PeriodicBoundary &pair : conditions.periodic())
        result.set_periodic(pair.first, pair.second);
      return result;
    }
  } // namespace

  template <int dim>
  EllipticBoundaryConditions<dim>
  FlowBoundaryConditions<dim>::of_pressure() const
  {
    return elliptic_conditions(*this, [](const types::boundary_id, const Condition &condition) {
      return condition.kind == FlowBoundary::outflow ? std::optional(condition.data) : std::nullopt;
    });
  }

  template <int dim>
  EllipticBoundaryConditions<dim>
  FlowBoundaryConditions<dim>::of_component(const std::set<types::boundary_id> &across) const
  {
    return elliptic_conditions(*this, [&](const types::boundary_id id, const Condition &condition) {
      const bool is_given = condition.kind == FlowBoundary::velocity || across.count(id) > 0;
      return is_given ? std::optional(FieldFunction<dim>()) : std::nullopt;
    });
  }

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

  template <int dim>
  FlowBoundaryConditions<dim>
  FlowBoundaryConditions<dim>::of_parts() const
  {
    FlowBoundaryConditions result = *this;
    result.set(numbers::internal_face_boundary_id, {FlowBoundary::across, {}, {}});
    return result;
  }

  template class FlowBoundaryConditions<2>;
  template class FlowBoundaryConditions<3>;
} // namespace Saltus
