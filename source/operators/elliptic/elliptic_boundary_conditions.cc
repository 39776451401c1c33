// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/elliptic_boundary_conditions.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_dirichlet(const types::boundary_id  id,
                                                 const FieldFunction<dim> &data)
  {
    this->set(id, {EllipticBoundary::dirichlet, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_neumann(const types::boundary_id  id,
                                               const FieldFunction<dim> &data)
  {
    this->set(id, {EllipticBoundary::neumann, 0., data});
  }

  template <int dim>
  void
  EllipticBoundaryConditions<dim>::set_robin(const types::boundary_id  id,
                                             const double              coefficient,
                                             const FieldFunction<dim> &data)
  {
    AssertThrow(std::isfinite(coefficient) && coefficient >= 0.,
                ExcMessage(this->text(id) + ": the Robin coefficient " +
                           std::to_string(coefficient) + " is negative or not finite."));
    this->set(id, {EllipticBoundary::robin, coefficient, data});
  }

  template class EllipticBoundaryConditions<2>;
  template class EllipticBoundaryConditions<3>;
} // namespace Saltus
