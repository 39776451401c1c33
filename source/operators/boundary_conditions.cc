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
    set(id, {BoundaryKind::prescribed, false, data});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_wall(const types::boundary_id id, const bool curved)
  {
    set(id, {BoundaryKind::wall, curved, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_outflow(const types::boundary_id id)
  {
    set(id, {BoundaryKind::outflow, false, {}});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_far_field(const types::boundary_id  id,
                                         const StateFunction<dim> &data)
  {
    set(id, {BoundaryKind::far_field, false, data});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set_periodic(const types::boundary_id first,
                                        const types::boundary_id second)
  {
    claim(first);
    claim(second);
    periodic_pairs.push_back({first, second});
  }

  template <int dim>
  void
  BoundaryConditions<dim>::set(const types::boundary_id id, const Condition &condition)
  {
    claim(id);
    by_id[id] = condition;
  }

  template <int dim>
  void
  BoundaryConditions<dim>::claim(const types::boundary_id id) const
  {
    bool taken = by_id.count(id) > 0;
    for (const auto &pair : periodic_pairs)
      taken |= pair.first == id || pair.second == id;
    AssertThrow(!taken,
                ExcMessage("Boundary id " + std::to_string(id) +
                           " has two boundary conditions; give it one."));
  }

  template class BoundaryConditions<2>;
  template class BoundaryConditions<3>;
} // namespace Saltus
