// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_mixed_stabilization_operator_h
#define saltus_operators_flow_mixed_stabilization_operator_h

#include <saltus/operators/elliptic/mixed_face_terms.h>
#include <saltus/operators/flow/parts_of_shapes.h>
#include <saltus/operators/flow/stabilization_operator.h>

namespace Saltus
{
  /// StabilizationOperator on meshes that mix triangles and quadrilaterals: the one of each shape,
  /// which is told velocities and speeds of the other across their common faces.
  template <int dim, typename Number = double>
  class MixedStabilizationOperator : public VelocityMatrices<StabilizationOperator<dim, Number>>
  {
  public:
    using AdditionalData = typename StabilizationOperator<dim, Number>::AdditionalData;

    void
    reinit(const MixedMesh<dim> &meshes,
           const unsigned int    degree,
           const Device          device,
           const AdditionalData &additional_data);

    void
    set_penalties(const BlockVector<Number> &w, const double dt);

    void
    vmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    void
    Tvmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const
    {
      vmult(dst, src);
    }

    /// `dst = M src`, without penalties.
    void
    mass_vmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    /// The jumps on the faces of the elements of one shape to those of the other.
    struct Jumps
    {
      MixedFaceLists<dim, Number> lists;
      Memory<Number>              normals; ///< see MixedJumpPoints
    };

    static Jumps
    make_jumps(const ElementSpace<dim, Number> &space);

    std::vector<Jumps>                                 jumps;
    std::unique_ptr<const MixedInterface<dim, Number>> interface;
    Number                                             jump_factor = 0;
  };
} // namespace Saltus

#endif
