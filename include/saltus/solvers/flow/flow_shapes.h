// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_flow_shapes_h
#define saltus_solvers_flow_flow_shapes_h

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/blocks/shape_diagonal.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/elliptic/mixed_laplace_operator.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/mixed_flow_fields.h>
#include <saltus/operators/flow/mixed_flow_operators.h>
#include <saltus/operators/flow/mixed_stabilization_operator.h>
#include <saltus/operators/flow/mixed_viscous_operator.h>

#include <memory>

namespace Saltus
{
  /// What an incompressible flow is made of on a mesh of one shape.
  template <int dim>
  struct FlowOnOneShape
  {
    using Meshes        = std::shared_ptr<const ElementMesh<dim>>;
    using VectorType    = Vector<double>;
    using LevelVector   = Vector<float>; ///< of a level of multigrid
    using Operators     = FlowOperators<dim>;
    using Viscous       = ViscousOperator<dim>;
    using Stabilization = StabilizationOperator<dim>;
    using Fields        = FlowFields<dim>;
    template <typename Number>
    using Laplace = LaplaceOperator<dim, Number>;
    template <typename Matrix>
    using Diagonal = Matrix; ///< that couples no elements

    static MixedMesh<dim>
    all(const Meshes &mesh)
    {
      return {mesh};
    }
  };

  /// On a mesh that mixes triangles and quadrilaterals, where vectors have blocks.
  template <int dim>
  struct FlowOnMixedShapes
  {
    using Meshes        = MixedMesh<dim>;
    using VectorType    = BlockVector<double>;
    using LevelVector   = BlockVector<float>;
    using Operators     = MixedFlowOperators<dim>;
    using Viscous       = MixedViscousOperator<dim>;
    using Stabilization = MixedStabilizationOperator<dim>;
    using Fields        = MixedFlowFields<dim>;
    template <typename Number>
    using Laplace = MixedLaplaceOperator<dim, Number>;
    template <typename Matrix>
    using Diagonal = ShapeDiagonal<Matrix>;

    static const MixedMesh<dim> &
    all(const Meshes &meshes)
    {
      return meshes;
    }
  };
} // namespace Saltus

#endif
