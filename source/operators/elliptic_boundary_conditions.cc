// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic_boundary_conditions.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::check_free(const types::boundary_id id) const
  {
    bool taken = by_id.count(id) > 0;
    for (const PeriodicBoundary &pair : periodic_pairs)
      taken |= pair.first == id || pair.second == id;
    AssertThrow(!taken,
                ExcMessage("Boundary id " + std::to_string(id) + " has two boundary conditions."));
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set(const types::boundary_id id, const Condition &condition)
  {
    check_free(id);
    by_id.emplace(id, condition);
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_dirichlet(const types::boundary_id  id,
                                                 const StateFunction<dim> &data)
  {
    set(id, {EllipticBoundary::dirichlet, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_neumann(const types::boundary_id  id,
                                               const StateFunction<dim> &data)
  {
    set(id, {EllipticBoundary::neumann, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_robin(const types::boundary_id  id,
                                             const double              coefficient,
                                             const StateFunction<dim> &data)
  {
    AssertThrow(coefficient >= 0.,
                ExcMessage("Boundary id " + std::to_string(id) + ": the Robin coefficient " +
                           std::to_string(coefficient) + " is negative."));
    set(id, {EllipticBoundary::robin, coefficient, data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_periodic(const types::boundary_id first,
                                                const types::boundary_id second)
  {
    check_free(first);
    check_free(second);
    periodic_pairs.push_back({first, second});
  }

  template <int dim>
  const typename EllipticBoundaryConditions<dim>::Condition &
  EllipticBoundaryConditions<dim>::at(const types::boundary_id id) const
  {
    const auto found = by_id.find(id);
    AssertThrow(found != by_id.end(),
                ExcMessage("Boundary id " + std::to_string(id) + " has no boundary condition."));
    AssertThrow(found->second.data.empty() || found->second.data.n_components() == 1,
                ExcMessage("Boundary id " + std::to_string(id) + ": the data has " +
                           std::to_string(found->second.data.n_components()) +
                           " components, but 1 is needed."));
    return found->second;
  }

  template class EllipticBoundaryConditions<2>;
  template class EllipticBoundaryConditions<3>;
} // namespace Saltus
