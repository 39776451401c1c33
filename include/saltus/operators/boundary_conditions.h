// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_boundary_conditions_h
#define saltus_operators_boundary_conditions_h

#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/state_function.h>
#include <saltus/physics/boundary_kind.h>

#include <map>
#include <vector>

namespace Saltus
{
  /// What holds on each part of the boundary, by boundary id.
  template <int dim>
  class BoundaryConditions
  {
  public:
    struct Condition
    {
      BoundaryKind       kind   = BoundaryKind::prescribed;
      bool               curved = false; ///< walls: reflect about the manifold's tangent
      StateFunction<dim> data;           ///< for prescribed and far field
    };

    /// The state outside is @p data.
    void
    set_prescribed(const dealii::types::boundary_id id, const StateFunction<dim> &data);

    /// A reflecting wall. With @p curved the velocity is reflected about the tangent of the true
    /// boundary, the manifold of the boundary faces, at each quadrature point, although the faces
    /// are straight (Krivodonova and Berger, J. Comput. Phys. 211, 2006).
    void
    set_wall(const dealii::types::boundary_id id, const bool curved = false);

    /// Everything leaves.
    void
    set_outflow(const dealii::types::boundary_id id);

    /// Characteristic far field with the state @p data at infinity.
    void
    set_far_field(const dealii::types::boundary_id id, const StateFunction<dim> &data);

    /// The two parts of the boundary are one, up to a translation.
    void
    set_periodic(const dealii::types::boundary_id first, const dealii::types::boundary_id second);

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

    void
    claim(const dealii::types::boundary_id id) const;

    std::map<dealii::types::boundary_id, Condition> by_id;
    std::vector<PeriodicBoundary>                   periodic_pairs;
  };
} // namespace Saltus

#endif
