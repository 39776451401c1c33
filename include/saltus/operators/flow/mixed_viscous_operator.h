// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_mixed_viscous_operator_h
#define saltus_operators_flow_mixed_viscous_operator_h

#include <saltus/operators/elliptic/mixed_laplace_operator.h>
#include <saltus/operators/flow/parts_of_shapes.h>
#include <saltus/operators/flow/viscous_operator.h>

namespace Saltus
{
  /// ViscousOperator on meshes that mix triangles and quadrilaterals, see MixedLaplaceOperator.
  template <int dim, typename Number = double>
  class MixedViscousOperator : public VelocityMatrices<ViscousOperator<dim, Number>>
  {
  public:
    using AdditionalData = typename ViscousOperator<dim, Number>::AdditionalData;
    using Component      = MixedLaplaceOperator<dim, Number>;

    void
    reinit(const MixedMesh<dim>              &meshes,
           const unsigned int                 degree,
           const FlowBoundaryConditions<dim> &conditions,
           const Device                       device,
           const AdditionalData              &additional_data);

    void
    set_reaction(const double reaction);

    void
    vmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    void
    vmult_add(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    void
    Tvmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const
    {
      vmult(dst, src);
    }

    void
    add_boundary_data(BlockVector<Number> &b, const DataTimes &times) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    std::shared_ptr<const Component>                  component; ///< of which the parts are made
    std::unique_ptr<const MixedFaceForm<dim, Number>> faces;     ///< between shapes
  };
} // namespace Saltus

#endif
