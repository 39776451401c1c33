// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_flow_derivative_h
#define saltus_operators_flow_flow_derivative_h

#include <saltus/base/algebra/vector_sum.h>
#include <saltus/operators/flow/flow_boundary_conditions.h>
#include <saltus/operators/flow/inflow_acceleration.h>
#include <saltus/operators/flow/kernels/flow_launcher.h>
#include <saltus/operators/spaces/boundary_values.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/hanging_faces.h>
#include <saltus/operators/spaces/kernel_dispatch.h>
#include <saltus/operators/spaces/mixed_interface.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// What becomes of a derivative r: `s = A s + scale r`, `dst = base + B s`, times the mass matrix
  /// where it is asked for. Without an accumulator s is `scale r`, and forgotten.
  /// @tparam VectorType Vector, or BlockVector
  template <typename Number, typename VectorType = Vector<Number>>
  struct FlowUpdate
  {
    VectorSum<Number, VectorType> base        = {}; ///< may contain dst, but not the accumulator
    double                        scale       = 1.;
    bool                          times_mass  = false;
    VectorType                   *accumulator = nullptr; ///< s, another vector than dst
    double                        A = 0., B = 1.;
  };

  /// The same of the blocks number @p i.
  template <typename Number>
  FlowUpdate<Number>
  block_of(const FlowUpdate<Number, BlockVector<Number>> &update, const unsigned int i)
  {
    return {block_of(update.base, i),
            update.scale,
            update.times_mass,
            update.accumulator == nullptr ? nullptr : &update.accumulator->block(i),
            update.A,
            update.B};
  }

  /// A space of pressures or velocities with what derivatives read at faces: what holds at the
  /// boundary, ghosts, the fluxes through hanging faces, and values in elements of another shape.
  template <int dim, typename Number>
  class FlowFaces
  {
  public:
    using Space = ElementSpace<dim, Number>;

    /// @param space whose reference element and quadrature are used
    /// @param n_components 1 for pressures, which are given at outflows, dim for velocities
    /// @throws dealii::ExcMessage for conditions that do not fit the mesh
    FlowFaces(const std::shared_ptr<const Space> &space,
              const FlowBoundaryConditions<dim>  &conditions,
              const unsigned int                  n_components);

    /// Where the values of input @p i are to be written across faces of the kind
    /// FlowBoundary::across before a derivative is applied.
    StatesAcross<Number>
    states_across(const unsigned int i) const;

    /// Those values, see FlowArguments; nullptr: there are no such faces.
    const Number *
    values_across(const unsigned int i) const
    {
      return across[i].data();
    }

    /// The same to be written.
    Number *
    values_to_set(const unsigned int i) const
    {
      return across[i].data();
    }

    /// Bytes on the device without the space.
    std::size_t
    memory_consumption() const
    {
      return data.memory_consumption() + kinds.size() * sizeof(FlowBoundary) +
             hanging.memory_consumption() + (across[0].size() + across[1].size()) * sizeof(Number);
    }

    const std::shared_ptr<const Space>                 space;
    const Memory<FlowBoundary>                         kinds;
    const BoundaryValues<dim, Number>                  data;
    const std::shared_ptr<const GhostExchange<Number>> traces;
    const HangingFaces<Number>                         hanging;

  private:
    const unsigned int n_components;
    /// Of a velocity, and of one that carries it.
    mutable std::array<Memory<Number>, 2> across;
  };

  /// One first derivative in the incompressible Navier-Stokes equations, discretised by weak
  /// divergences with the quadrature of a space: \f$ r = M^{-1} \langle\text{form}\rangle \f$, and
  /// what is wanted of it, in one pass over the vectors.
  ///
  /// @tparam Form see physics/incompressible_flow.h
  template <typename Form, typename Number>
  class FlowDerivative
  {
    static constexpr int dim = Form::dimension;

  public:
    using Faces  = FlowFaces<dim, Number>;
    using Inputs = std::array<VectorSum<Number>, Form::n_inputs>;

    /// @param faces of functions with as many components as the form says
    /// @param name for messages
    /// @throws dealii::ExcMessage for a degree that was not compiled
    void
    reinit(const std::shared_ptr<const Faces> &faces, const Form &form, const std::string &name);

    /// @param dst must not be one of the inputs
    /// @param times of the boundary data
    /// @param carried where a velocity is given that is carried
    /// @param inflow of fluid that may be accelerated; nullptr: it is not
    /// @throws dealii::ExcMessage for vectors of another shape or device, and sums of more than
    /// Combination::max_terms
    void
    apply(Vector<Number>                        &dst,
          const Inputs                          &inputs,
          const DataTimes                       &times,
          const FlowUpdate<Number>              &update,
          const CarriedData                     &carried = {},
          const InflowAcceleration<dim, Number> *inflow  = nullptr) const;

    /// Set the ghosts of a vector that is an input, for VectorSum::Term::has_ghosts.
    void
    update_ghosts(const Vector<Number> &vector) const
    {
      faces->traces->run(vector);
    }

    /// That reinit() was given.
    const Faces &
    used_faces() const
    {
      return *faces;
    }

    /// Bytes on the device without the space; other derivatives may share them.
    std::size_t
    memory_consumption() const
    {
      return faces->memory_consumption();
    }

    /// Floating-point operations of one application: sums over modes and points.
    double
    flops() const;

  private:
    /// @param n_components of the vectors
    Combination<Number>
    checked(const VectorSum<Number> &sum, const unsigned int n_components) const;

    void
    check(const Vector<Number> &vector, const unsigned int n_components) const;

    Form                                                       form;
    std::string                                                name;
    std::shared_ptr<const Faces>                               faces;
    KernelsOfRanges<RangeKernels<FlowArguments<Form, Number>>> kernels;
  };
} // namespace Saltus

#endif
