// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_velocity_preconditioner_h
#define saltus_solvers_flow_velocity_preconditioner_h

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/flow/flow_boundary_conditions.h>
#include <saltus/solvers/flow/flow_shapes.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <memory>
#include <vector>

namespace Saltus
{
  enum class VelocityPreconditioning
  {
    /// block_jacobi where the viscous operator is ten times the reaction or more, by an estimate of
    /// its largest eigenvalue; else, and on hexahedra, inverse_mass
    automatic,
    inverse_mass, ///< suffices where the reaction is large: for short steps and little viscosity
    block_jacobi, ///< inverse diagonal blocks, one an element and component
    p_multigrid   ///< a cycle for each component: iterations nearly independent of degree and mesh
  };

  /// An approximate inverse of ViscousOperator, symmetric and positive. Block Jacobi and
  /// p-multigrid are those of a LaplaceOperator for each component, in single precision: of the
  /// operator itself, as long as slip walls are perpendicular to axes. What oblique ones couple is
  /// left out, and a component then has a Dirichlet condition where, on the average of a boundary
  /// id, it has more than half of the normal's square, else a Neumann condition.
  /// @tparam Shapes FlowOnOneShape, or FlowOnMixedShapes
  template <int dim, typename Shapes = FlowOnOneShape<dim>>
  class VelocityPreconditioner : public dealii::Subscriptor
  {
  public:
    using VectorType = typename Shapes::VectorType;
    using Multigrid  = PMultigrid<typename Shapes::template Laplace<float>>;

    struct AdditionalData
    {
      VelocityPreconditioning            kind           = VelocityPreconditioning::automatic;
      double                             penalty_factor = 1.; ///< see LaplaceOperator
      typename Multigrid::AdditionalData multigrid      = {};
    };

    /// @param meshes of the flow
    /// @param spaces of the velocities, one a shape; are not needed afterwards
    /// @throws dealii::ExcMessage for a boundary id without a condition
    void
    reinit(const typename Shapes::Meshes                        &meshes,
           const std::vector<const ElementSpace<dim, double> *> &spaces,
           const FlowBoundaryConditions<dim>                    &conditions,
           const AdditionalData                                 &additional_data);

    /// Prepare for the operator with the reaction @p reaction. That is set up anew only if the
    /// nearest power of two is another than before: for steps whose lengths vary it seldom is, what
    /// is set up follows from the reaction alone, and the condition number grows by at most
    /// \f$\sqrt 2\f$.
    /// @return whether something was set up, which never is so for the inverse mass matrix
    /// @throws dealii::ExcMessage unless it is positive
    bool
    set_reaction(const double reaction);

    /// @param src see PMultigrid::vmult()
    void
    vmult(VectorType &dst, const VectorType &src) const;

    /// Bytes on the device, tables that parts share counted for each.
    std::size_t
    memory_consumption() const;

    /// Whether the inverse mass matrix is the preconditioner, given or chosen.
    bool
    is_inverse_mass() const
    {
      return with_mass;
    }

  private:
    /// What components with the same conditions share.
    struct Part
    {
      EllipticBoundaryConditions<dim>          conditions;
      std::vector<unsigned int>                components;
      std::vector<RoundedBlockDiagonal<float>> blocks; ///< one a shape
      std::unique_ptr<Multigrid>               multigrid;
    };

    void
    set_up(Part &part, const double reaction) const;

    AdditionalData          data;
    typename Shapes::Meshes meshes;
    double                  reaction = 0.; ///< of what is set up
    double eigenvalue = 0.;    ///< the largest of the viscous operator, about, if it chooses
    bool   with_mass  = false; ///< see is_inverse_mass()
    typename Shapes::template Diagonal<ElementScaling<double>> inverse_mass;
    std::vector<Part>                                          parts;
    mutable typename Shapes::LevelVector from, to; ///< of a component, for p-multigrid
    unsigned int                         degree = 0;
    Device                               device = Device::cpu();
  };
} // namespace Saltus

#endif
