// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_boundary_conditions_h
#define saltus_operators_elliptic_boundary_conditions_h

#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/state_function.h>
#include <saltus/physics/interior_penalty.h>

#include <map>
#include <vector>

namespace Saltus
{
  /// What holds on each part of the boundary of an elliptic problem, by boundary id.
  template <int dim>
  class EllipticBoundaryConditions
  {
  public:
    struct Condition
    {
      EllipticBoundary   kind  = EllipticBoundary::dirichlet;
      double             robin = 0;
      StateFunction<dim> data; ///< empty: zero
    };

    /// u = @p data
    void
    set_dirichlet(const dealii::types::boundary_id id, const StateFunction<dim> &data = {});

    /// k du/dn = @p data
    void
    set_neumann(const dealii::types::boundary_id id, const StateFunction<dim> &data = {});

    /// k du/dn + @p coefficient u = @p data
    void
    set_robin(const dealii::types::boundary_id id,
              const double                     coefficient,
              const StateFunction<dim>        &data = {});

    /// The two parts of the boundary are one, up to a translation.
    void
    set_periodic(const dealii::types::boundary_id first, const dealii::types::boundary_id second);

    /// @throws dealii::ExcMessage if there is none for @p id
    const Condition &
    at(const dealii::types::boundary_id id) const;

    const std::map<dealii::types::boundary_id, Condition> &
    conditions() const
    {
      return by_id;
    }

    const std::vector<PeriodicBoundary> &
    periodic() const
    {
      return periodic_pairs;
    }

  private:
    void
    set(const dealii::types::boundary_id id, const Condition &condition);

    /// @throws dealii::ExcMessage if it has one already
    void
    check_free(const dealii::types::boundary_id id) const;

    std::map<dealii::types::boundary_id, Condition> by_id;
    std::vector<PeriodicBoundary>                   periodic_pairs;
  };
} // namespace Saltus

#endif
