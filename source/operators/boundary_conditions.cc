// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/boundary_conditions.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  BoundaryConditions<dim>::set_prescribed(const types::boundary_id  id,
                                          const StateFunction<dim> &data)
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
  BoundaryConditions<dim>::set_outflow(const types::boundary_id id)
  {
    this->set(id, {BoundaryKind::outflow, false, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_far_field(const types::boundary_id  id,
                                         const StateFunction<dim> &data)
  {
    this->set(id, {BoundaryKind::far_field, false, data});
  }

  template class BoundaryConditions<2>;
  template class BoundaryConditions<3>;
} // namespace Saltus
