// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_operator_h
#define saltus_operators_conservation_law_operator_h

#include <saltus/operators/boundary_conditions.h>
#include <saltus/operators/element_space.h>
#include <saltus/operators/launcher.h>
#include <saltus/operators/stage_flops.h>
#include <saltus/operators/state_function.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Numbers that describe a discrete state, `[component]` each.
  struct StateStatistics
  {
    std::vector<double> integrals; ///< over the domain
    std::vector<double> norms;     ///< \f$ L^2 \f$ norm over the domain
    std::vector<double> minima;    ///< smallest and
    std::vector<double> maxima;    ///< largest mean of an element; not a number if one mean is none
  };

  /// Discontinuous Galerkin discretisation of \f$ \partial_t u + \nabla\cdot F(u) = 0 \f$ (Fuhry,
  /// Giuliani and Krivodonova, equation 12) with the modal basis FE_SimplexDGModal: volume and
  /// surface integrals, inverse mass matrix and Runge-Kutta update in one pass over the data.
  ///
  /// @tparam Law the equation, see Advection for its members
  template <int dim, typename Law, typename Number = double>
  class ConservationLawOperator
  {
  public:
    static constexpr int n_components = Law::n_components;

    struct AdditionalData
    {
      /// Added to the degrees 2p (volume) and 2p+1 (faces) that the quadrature integrates exactly.
      unsigned int quadrature_increase = 0;
      /// Coefficient fields of the law, where it has some (advection: the velocity).
      StateFunction<dim> fields;
    };

    /// @param mapping affine on simplices
    /// @param dof_handler with `FESystem<dim>(FE_SimplexDGModal<dim>(p), n_components)`, or the
    /// scalar
    ///        element for scalar laws, on a conforming mesh
    /// @param boundary_conditions one for every boundary id of the mesh
    /// @throws dealii::ExcMessage for anything that these do not satisfy and for a degree that was
    /// not
    ///         compiled for the device
    void
    reinit(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const Device                   device,
           const AdditionalData          &additional_data);

    void
    reinit(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const Device                   device = Device::automatic())
    {
      reinit(mapping, dof_handler, law, boundary_conditions, device, AdditionalData());
    }

    /// The same on a mesh that several operators share; its vectors suit other operators of the
    /// same degree and number of components on it.
    /// @param mesh of the triangulation of @p dof_handler
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const dealii::DoFHandler<dim>                 &dof_handler,
           const Law                                     &law,
           const BoundaryConditions<dim>                 &boundary_conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// The same without a DoFHandler: copy_from() and copy_to() may not be called.
    void
    reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
           const unsigned int                             degree,
           const Law                                     &law,
           const BoundaryConditions<dim>                 &boundary_conditions,
           const Device                                   device,
           const AdditionalData                          &additional_data);

    /// Zeros of the right size on the operator's device.
    void
    initialize_vector(Vector<Number> &vector) const;

    /// Between deal.II's numbering and the operator's.
    void
    copy_from(Vector<Number> &to, const dealii::Vector<double> &from) const;

    void
    copy_to(dealii::Vector<double> &to, const Vector<Number> &from) const;

    /// L2 projection of @p function at the current time.
    void
    project(const StateFunction<dim> &function, Vector<Number> &u) const;

    /// \f$ r = M^{-1} L(u) \f$ at the current time.
    void
    apply(const Vector<Number> &u, Vector<Number> &r) const;

    /// One Runge-Kutta stage (see StageCoefficients); @p out must not be @p u.
    void
    stage(const StageCoefficients &coefficients,
          const Vector<Number>    &u,
          const Vector<Number>    &base,
          Vector<Number>          &accumulator,
          Vector<Number>          &out) const;

    /// Choose the length of the next step from @p u.
    void
    begin_step(const Vector<Number> &u) const;

    /// Advance the time.
    void
    end_step() const;

    /// Barth-Jespersen limiter, for degree 1, followed by the scaling of Zhang and Shu where that
    /// leaves a quantity that must be positive (density, pressure) negative somewhere.
    void
    limit(Vector<Number> &u) const;

    TimeState
    time_state() const;

    void
    set_time_state(const TimeState &state);

    /// Time integral of the flux out of the domain, `[component]`.
    std::vector<double>
    outflow() const;

    /// The same by boundary face, `[face][component]`: what a restart must set again.
    std::vector<double>
    outflow_by_face() const;

    void
    set_outflow_by_face(const std::vector<double> &outflow);

    /// Computed on the host.
    StateStatistics
    statistics(const Vector<Number> &u) const;

    /// Integral of each component over the domain.
    std::vector<double>
    integrals(const Vector<Number> &u) const
    {
      return statistics(u).integrals;
    }

    /// @throws dealii::ExcMessage with element, position, state and time if a kernel has met an
    /// inadmissible state (for Euler: density or pressure not positive, or not a number)
    void
    check_states() const;

    /// Whether a step only launches work on the device, so that it can be recorded in a graph.
    bool
    runs_on_device() const;

    /// Floating-point operations of one low-storage stage.
    double
    stage_flops() const
    {
      return Saltus::stage_flops(law, space->reference) * n_elements();
    }

    const ElementSpace<dim, Number> &
    element_space() const
    {
      return *space;
    }

    const ReferenceElement<dim> &
    reference_element() const
    {
      return space->reference;
    }

    Device
    device() const
    {
      return space->device;
    }

    unsigned int
    n_elements() const
    {
      return space->n_elements();
    }

  private:
    /// Values at points that one state function fills, as a part of an array.
    struct Filling
    {
      PointValues<dim, Number> values;
      Number                  *target;
      bool                     primitive;
    };

    /// All but the space.
    void
    set_up(const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const AdditionalData          &additional_data);

    void
    set_up_boundary(const BoundaryConditions<dim> &boundary_conditions);

    void
    set_up_fields(const StateFunction<dim> &function);

    void
    fill(const Filling &filling, const double fraction) const;

    void
    fill_time_dependent(const double fraction) const;

    StageArguments<Law, Number>
    arguments() const;

    Law                                                  law;
    unsigned int                                         degree = 0;
    std::unique_ptr<const ElementSpace<dim, Number>>     space;
    std::unique_ptr<ConservationLawKernels<Law, Number>> kernels;

    Memory<BoundaryKind> boundary_kinds;
    Memory<Number>       boundary_states, boundary_normals;
    Memory<Number>       volume_fields, face_fields;
    std::vector<Filling> fillings;

    mutable Memory<double>    outflow_;
    mutable Memory<TimeState> time;
    mutable Memory<Failure>   failure;
  };
} // namespace Saltus

#endif
