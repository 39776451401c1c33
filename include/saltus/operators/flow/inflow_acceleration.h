// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_inflow_acceleration_h
#define saltus_operators_flow_inflow_acceleration_h

#include <saltus/operators/flow/flow_boundary_conditions.h>
#include <saltus/operators/spaces/boundary_values.h>
#include <saltus/operators/spaces/element_space.h>

#include <memory>

namespace Saltus
{
  /// A carried velocity where a velocity g is given: \f$ a g + b\, Dg/Dt \f$.
  struct CarriedData
  {
    double factor       = 1.; ///< a
    double acceleration = 0.; ///< b
  };

  /// The acceleration of the fluid that enters where a velocity g is given: the difference \f[
  ///   \frac{Dg}{Dt} \approx \frac{g(x + \Delta t\, g(x, t), t + \Delta t) - g(x, t)}{\Delta t} \f]
  /// along the path of the fluid, which leads into the domain. Differences over a whole step stay
  /// bounded where g jumps in time.
  template <int dim, typename Number>
  class InflowAcceleration
  {
  public:
    /// @param space of the velocity
    InflowAcceleration(const ElementSpace<dim, Number>   &space,
                       const FlowBoundaryConditions<dim> &conditions);

    /// Set it for a step.
    /// @param time,dt beginning and length of the step
    void
    update(const double time, const double dt);

    /// Whether the fluid of this rank enters without acceleration.
    bool
    is_zero() const
    {
      return acceleration == nullptr;
    }

    /// `[b]`: FlowBoundary::across in place of FlowBoundary::velocity where there is data.
    const FlowBoundary *
    kinds() const
    {
      return kinds_.data();
    }

    /// Set @p carried to @p data of a carried velocity and @p carrier to g, where there is data.
    /// @param g data at the wanted time, `[b][q][c]` as the results
    void
    set(const CarriedData &data, const Number *g, Number *carried, Number *carrier) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return values.memory_consumption() + kinds_.size() * sizeof(FlowBoundary);
    }

  private:
    Memory<FlowBoundary>        kinds_;
    std::shared_ptr<double>     interval; ///< \f$ \Delta t \f$
    BoundaryValues<dim, Number> values;
    const Number               *acceleration = nullptr; ///< `[b][q][c]`
  };
} // namespace Saltus

#endif
