// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_mixed_flow_operators_h
#define saltus_operators_flow_mixed_flow_operators_h

#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/parts_of_shapes.h>

namespace Saltus
{
  /// FlowOperators on meshes that mix triangles and quadrilaterals: those of each shape on its part
  /// of the mesh, with its own kernels, which are told the values in the other across their common
  /// faces. Both find the same flux there, to rounding. What is said of FlowOperators holds here,
  /// with BlockVector.
  template <int dim, typename Number = double>
  class MixedFlowOperators : public PartsOfShapes<FlowOperators<dim, Number>>
  {
  public:
    using Part           = FlowOperators<dim, Number>;
    using AdditionalData = typename Part::AdditionalData;
    using OutflowRates   = typename Part::OutflowRates;
    using VectorType     = BlockVector<Number>;
    using Sum            = VectorSum<Number, VectorType>;
    using Update         = FlowUpdate<Number, VectorType>;

    /// @param velocity,pressure of collections of elements, one a shape
    /// @throws dealii::ExcMessage what FlowOperators throws, and MixedInterface
    void
    reinit(const MixedMesh<dim>              &meshes,
           const dealii::DoFHandler<dim>     &velocity,
           const dealii::DoFHandler<dim>     &pressure,
           const FlowBoundaryConditions<dim> &conditions,
           const Device                       device,
           const AdditionalData              &additional_data);

    VectorType
    make_velocity() const
    {
      return this->make_blocks([](const Part &part) { return part.make_velocity(); });
    }

    VectorType
    make_pressure() const
    {
      return this->make_blocks([](const Part &part) { return part.make_pressure(); });
    }

    void
    gradient(VectorType      &dst,
             const Sum       &p,
             const DataTimes &times  = {},
             const Update    &update = {}) const;

    void
    divergence(VectorType      &dst,
               const Sum       &u,
               const DataTimes &times  = {},
               const Update    &update = {}) const;

    void
    convection(VectorType      &dst,
               const Sum       &u,
               const DataTimes &times  = {},
               const Update    &update = {}) const;

    void
    transport(VectorType        &dst,
              const Sum         &u,
              const Sum         &w,
              const DataTimes   &times   = {},
              const Update      &update  = {},
              const CarriedData &carried = {}) const;

    void
    update_inflow(const double time, const double dt) const;

    double
    convection_rate(const VectorType &u) const;

    OutflowRates
    outflow_rates(const VectorType &u) const;

    void
    update_velocity_ghosts(const VectorType &u) const;

    /// Bytes on the device, without the meshes.
    std::size_t
    memory_consumption() const;

  private:
    using Interface = std::unique_ptr<const MixedInterface<dim, Number>>;

    /// What tells the values of input @p i of a derivative.
    /// @param faces `faces(part)`: those of the derivative
    /// @param space `space(part)`: that of the input
    template <typename Faces, typename Space>
    Interface
    make_interface(const MixedMesh<dim> &meshes,
                   const unsigned int    i,
                   const Faces          &faces,
                   const Space          &space) const;

    /// @throws dealii::ExcMessage before reinit()
    void
    tell(const Interface &interface, const Sum &values) const;

    /// Of gradient, divergence, and the other two, which share theirs.
    Interface pressures, velocities, carried, carriers;
  };
} // namespace Saltus

#endif
