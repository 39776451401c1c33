// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/boundary_conditions.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  const BoundaryCondition<dim> &
  BoundaryConditions<dim>::at(const types::boundary_id id, const unsigned int n_components) const
  {
    const Condition &condition = this->find(id);
    this->check_data(id, condition, condition.n_data(n_components));
    return condition;
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_prescribed(const types::boundary_id  id,
                                          const FieldFunction<dim> &data)
  {
    this->set(id, {BoundaryKind::prescribed, false, data});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_wall(const types::boundary_id id, const bool curved)
  {
    this->set(id, {BoundaryKind::wall, curved, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_no_slip_wall(const types::boundary_id id)
  {
    this->set(id, {BoundaryKind::no_slip_wall, false, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_outflow(const types::boundary_id id)
  {
    this->set(id, {BoundaryKind::outflow, false, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_far_field(const types::boundary_id  id,
                                         const FieldFunction<dim> &data)
  {
    this->set(id, {BoundaryKind::far_field, false, data});
  }

  namespace
  {
    /// Data that are no states, and so have no primitive variables.
    template <int dim>
    FieldFunction<dim>
    no_states(FieldFunction<dim> data)
    {
      data.primitive = false;
      return data;
    }
  } // namespace

  template <int dim>
  void
  BoundaryConditions<dim>::set_pressure_outlet(const types::boundary_id  id,
                                               const FieldFunction<dim> &pressure)
  {
    this->set(id, {BoundaryKind::pressure_outlet, false, no_states(pressure)});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_total_pressure_inlet(const types::boundary_id  id,
                                                    const FieldFunction<dim> &data)
  {
    this->set(id, {BoundaryKind::total_pressure_inlet, false, no_states(data)});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_no_slip_wall(const types::boundary_id  id,
                                            const FieldFunction<dim> &velocity)
  {
    this->set(id, {BoundaryKind::no_slip_wall, false, no_states(velocity), true});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_isothermal_wall(const types::boundary_id  id,
                                               const FieldFunction<dim> &data)
  {
    const bool moves = !data.empty() && data.n_components() > 1;
    this->set(id, {BoundaryKind::isothermal_wall, false, no_states(data), moves});
  }

  template class BoundaryConditions<2>;
  template class BoundaryConditions<3>;
} // namespace Saltus
