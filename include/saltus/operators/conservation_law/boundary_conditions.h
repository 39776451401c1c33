// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_boundary_conditions_h
#define saltus_operators_conservation_law_boundary_conditions_h

#include <saltus/operators/spaces/conditions_by_id.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/physics/boundary_kind.h>

namespace Saltus
{
  /// What holds on one part of the boundary.
  template <int dim>
  struct BoundaryCondition
  {
    BoundaryKind       kind   = BoundaryKind::prescribed;
    bool               curved = false; ///< walls: reflect about the manifold's tangent
    FieldFunction<dim> data;           ///< as many components as n_data() says
    bool moves = false; ///< no-slip walls: the last components of the data are the wall's velocity

    /// How many numbers are given at each point, for a law with states of @p n_components.
    unsigned int
    n_data(const unsigned int n_components) const
    {
      return n_boundary_data(kind, n_components) + (moves ? dim : 0);
    }
  };

  /// What holds on each part of the boundary, by boundary id.
  template <int dim>
  class BoundaryConditions : public ConditionsById<BoundaryCondition<dim>>
  {
  public:
    using Condition = BoundaryCondition<dim>;

    /// @param n_components of a state
    /// @throws dealii::ExcMessage if there is no condition for @p id, or with other data than its
    /// kind needs
    const Condition &
    at(const dealii::types::boundary_id id, const unsigned int n_components) const;

    /// The state outside is @p data.
    void
    set_prescribed(const dealii::types::boundary_id id, const FieldFunction<dim> &data);

    /// A reflecting wall. With @p curved the velocity is reflected about the tangent of the true
    /// boundary, the manifold of the boundary faces, at each quadrature point, although the faces
    /// are straight (Krivodonova and Berger, J. Comput. Phys. 211, 2006).
    void
    set_wall(const dealii::types::boundary_id id, const bool curved = false);

    /// A wall to which a viscous flow sticks, and through which no heat passes.
    void
    set_no_slip_wall(const dealii::types::boundary_id id);

    /// The same that moves along itself with a given @p velocity (`dim` components), which heats
    /// the gas by friction.
    void
    set_no_slip_wall(const dealii::types::boundary_id id, const FieldFunction<dim> &velocity);

    /// A wall to which a viscous flow sticks, with a given temperature, \f$ T = p / \rho \f$: the
    /// first component of @p data. If there are more, they are the wall's velocity.
    void
    set_isothermal_wall(const dealii::types::boundary_id id, const FieldFunction<dim> &data);

    /// Everything leaves.
    void
    set_outflow(const dealii::types::boundary_id id);

    /// Characteristic far field with the state @p data at infinity.
    void
    set_far_field(const dealii::types::boundary_id id, const FieldFunction<dim> &data);

    /// Subsonic outlet with a given pressure (one component). Where the flow leaves at the speed of
    /// sound or faster it is an outflow. For laws with a pressure.
    void
    set_pressure_outlet(const dealii::types::boundary_id id, const FieldFunction<dim> &pressure);

    /// Subsonic inlet. @p data has the components total pressure, total temperature and the `dim`
    /// components of the flow's direction, a vector of any length that points into the domain. The
    /// temperature is that of a gas whose specific gas constant is 1, \f$ T = p / \rho \f$:
    /// multiply one in kelvin by the gas constant. For laws with a pressure.
    void
    set_total_pressure_inlet(const dealii::types::boundary_id id, const FieldFunction<dim> &data);
  };
} // namespace Saltus

#endif
