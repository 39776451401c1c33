// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_conservation_law_operator_h
#define saltus_operators_conservation_law_conservation_law_operator_h

#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/conservation_law/boundary_conditions.h>
#include <saltus/operators/conservation_law/boundary_fluxes.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/limiter.h>
#include <saltus/operators/conservation_law/stage_flops.h>
#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/element_sums.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/operators/spaces/hanging_faces.h>
#include <saltus/operators/spaces/hanging_gradient_memory.h>
#include <saltus/operators/spaces/integral_rule.h>
#include <saltus/operators/spaces/inverse_mass.h>
#include <saltus/operators/spaces/kernel_dispatch.h>
#include <saltus/operators/spaces/mixed_interface.h>
#include <saltus/operators/spaces/point_factors.h>
#include <saltus/operators/spaces/time_clock.h>
#include <saltus/operators/spaces/vertex_maxima.h>
#include <saltus/physics/check_law.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace Saltus
{
  /// Numbers that describe a discrete state on all ranks, `[component]` each.
  struct StateStatistics
  {
    std::vector<double> integrals; ///< over the domain
    std::vector<double> norms;     ///< \f$ L^2 \f$ norm over the domain
    std::vector<double> minima;    ///< smallest and
    std::vector<double> maxima;    ///< largest mean of an element; not a number if one mean is none
  };

  /// Mass matrix of a projection.
  enum class ProjectionMass
  {
    of_elements, ///< its functions are reproduced up to rounding
    of_scheme    ///< weight-adjusted in curved elements, as in stages
  };

  /// Discontinuous Galerkin discretisation of \f$ \partial_t u + \nabla\cdot F(u) = S \f$ (Fuhry,
  /// Giuliani and Krivodonova, equation 12) with the modal basis FE_SimplexDGModal: volume and
  /// surface integrals, inverse mass matrix and Runge-Kutta update in one pass over the data.
  /// Where the law has a second-order flux, or there is artificial viscosity, a second pass adds
  /// \f$ \nabla\cdot F_v(u, \nabla u) \f$, see SecondOrderElement: from degree 1 on. A source S(x,
  /// t) is one more pass.
  ///
  /// An operator does not change by being used: time, step size and what steps note down are in a
  /// TimeClock. Vectors must have the shape that initialize_vector() gives them, and clocks be made
  /// by make_clock(); others are refused, as is every call before reinit().
  ///
  /// @tparam Law the equation, see Advection for its members
  template <int dim, typename Law, typename Number = double>
  class ConservationLawOperator
  {
    static_assert(check_law<Law>(), "The law is not complete.");

  public:
    static constexpr int n_components = Law::n_components;

    using value_type = Number;
    using Meshes     = std::shared_ptr<const ElementMesh<dim>>;
    using VectorType = Vector<Number>;
    using Clock      = TimeClock;

    struct AdditionalData
    {
      /// Added to the degrees 2p (volume) and 2p+1 (faces) that the quadrature integrates exactly.
      unsigned int quadrature_increase = 0;
      /// Coefficient fields of the law, where it has some (advection: the velocity).
      FieldFunction<dim> fields;
      /// Chosen by begin_step() for all stages of a step, as its length depends on it; by apply()
      /// from its state.
      ArtificialViscosity artificial_viscosity;
      /// Whether every element takes the step that it could take alone, for steady problems: the
      /// clock then shows the time of the elements with the shortest steps, and does not count
      /// what leaves through the boundary.
      bool local_steps = false;
      /// S: what is added of each conserved variable, per volume and time; empty: nothing. The
      /// length of steps does not know of it.
      FieldFunction<dim> source;
    };

    /// @param mapping any; where it is not affine, elements have maps of one degree more than the
    /// basis, see ElementMapping. With maps of the same degree, where it is odd, the normals of
    /// walls would cost the last order of accuracy.
    /// @param dof_handler with `FESystem<dim>(FE_SimplexDGModal<dim>(p), n_components)`, or the
    /// scalar
    ///        element for scalar laws; FE_HypercubeDG on quadrilaterals and hexahedra, whose
    ///        mesh may have hanging nodes
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

    /// Of a mesh that is one shape's part of a mixed one, where the states across its faces to
    /// elements of other shapes are to stand before every stage, see MixedConservationLawOperator.
    StatesAcross<Number>
    states_across();

    /// Zeros of the right size on the operator's device.
    void
    initialize_vector(Vector<Number> &vector) const;

    /// The same by deal.II's name.
    void
    initialize_dof_vector(Vector<Number> &vector) const
    {
      initialize_vector(vector);
    }

    /// A clock at the time and with the step sizes of @p start. Collective. After a reinit()
    /// `clock = op.make_clock(clock.state())` lets time and number of steps go on; what has left
    /// through the boundary belongs to the faces of a mesh and is counted anew.
    TimeClock
    make_clock(const TimeState &start = TimeState()) const;

    /// A clock that shows the time of @p other, that of another operator, now and later.
    /// Collective.
    TimeClock
    make_clock(const TimeClock &other) const;

    /// Between deal.II's numbering and the operator's.
    /// @param from,to see DoFMap
    template <typename VectorType>
    void
    copy_from(Vector<Number> &to, const VectorType &from) const
    {
      check_vector(to, "to");
      space->copy_from(to, from);
    }

    template <typename VectorType>
    void
    copy_to(VectorType &to, const Vector<Number> &from) const
    {
      check_vector(from, "from", true);
      space->copy_to(to, from);
    }

    /// L2 projection \f$ M^{-1} \int f \phi_m \f$ of @p function at @p time, see
    /// FieldFunction::time_at(), by the rule of the scheme. Collective.
    /// @param mass that of the scheme keeps the integral, too
    /// @throws dealii::ExcMessage on all ranks that names a point where the function is not finite
    void
    project(const FieldFunction<dim>   &function,
            Vector<Number>             &u,
            const std::optional<double> time = {},
            const ProjectionMass        mass = ProjectionMass::of_elements) const;

    /// \f$ r = M^{-1} L(u) \f$ at the clock's time, plus @p fraction of its step size. Nothing is
    /// transferred, and nothing noted but a failure.
    void
    apply(TimeClock            &clock,
          const Vector<Number> &u,
          Vector<Number>       &r,
          const double          fraction = 0.) const;

    /// One Runge-Kutta stage (see StageCoefficients) with the clock's step size; @p out must not be
    /// @p u. @p base and @p accumulator may be empty where the coefficients do not need them.
    void
    stage(TimeClock               &clock,
          const StageCoefficients &coefficients,
          const Vector<Number>    &u,
          const Vector<Number>    &base,
          Vector<Number>          &accumulator,
          Vector<Number>          &out) const;

    /// Choose the length of the next step from @p u.
    /// @param limiter applied to @p u before: after Limiter::positivity states at points count, see
    /// StepSizeArguments, in elements that the last limit() marked
    void
    begin_step(TimeClock            &clock,
               const Vector<Number> &u,
               const Limiter         limiter = Limiter::none) const;

    /// Mark all elements, for a vector that was not the last one to be limited.
    void
    look_at_all_points() const;

    /// Advance the time by the step.
    void
    end_step(TimeClock &clock) const;

    /// @throws dealii::ExcMessage for a limiter that does not suit the degree or the elements
    void
    limit(Vector<Number> &u, const Limiter limiter = Limiter::barth_jespersen) const;

    /// Limiter::positivity also at the points that the children of cells would have: then all of
    /// these have positive means. On quadrilaterals and hexahedra.
    void
    limit_for_children(Vector<Number> &u) const;

    /// By the quadrature of results, see IntegralRule. Collective.
    StateStatistics
    statistics(const Vector<Number> &u) const;

    /// The artificial viscosity of a state, `[element]`, before it is made continuous. Collective.
    /// @throws dealii::ExcMessage if there is none
    std::vector<double>
    artificial_viscosities(TimeClock &clock, const Vector<Number> &u) const
    {
      AssertThrow(has_artificial_viscosity(),
                  dealii::ExcMessage("The operator has no artificial viscosity."));
      choose_viscosities(clock, u);
      const std::vector<Number> entries = viscosities.entries();
      return {entries.begin(), entries.end()};
    }

    /// Integral of each component over the domain that the scheme conserves, by its own quadrature.
    /// Collective.
    std::vector<double>
    integrals(const Vector<Number> &u) const
    {
      return statistics_by(space->element_tables(), space->stored_arrays(), u).integrals;
    }

    /// The numerical fluxes with which stages integrate over this rank's boundary faces. The sum
    /// of their first less their second-order parts, each with the weights of its own rule, over
    /// the whole boundary is what the domain loses per time, to rounding. Computed on the host;
    /// for laws without coefficient fields.
    /// @param ids of the faces wanted
    std::vector<BoundaryFaceFluxes<Law>>
    boundary_fluxes(const Vector<Number>                       &u,
                    const double                                time,
                    const std::set<dealii::types::boundary_id> &ids,
                    const FluxRule                              rule) const;

    /// Whether both rules have the same points.
    bool
    has_one_flux_rule() const
    {
      return face_rule(FluxRule::first_order).reference.face_points ==
             face_rule(FluxRule::second_order).reference.face_points;
    }

    /// Degree of the polynomials that a rule on faces integrates exactly.
    unsigned int
    face_degree(const FluxRule rule) const
    {
      return face_rule(rule).reference.face_degree;
    }

    /// @throws InadmissibleState with element, position, state and time if a kernel has met an
    /// inadmissible state (for Euler: density or pressure not positive, or not a number) or a wave
    /// speed that is not finite. The clock then forgets it: who catches the error may go on from
    /// another state.
    void
    check_states(TimeClock &clock) const;

    /// The largest of the numbers that the ranks give: for decisions that they must take alike.
    double
    largest_of_ranks(const double value) const
    {
      return max_over_ranks(element_space().mesh->partition, value);
    }

    /// Whether a step only launches work on the device, so that it can be recorded in a graph.
    bool
    runs_on_device() const;

    /// Changes with every reinit(): recorded launches refer to the memory of one.
    const Identity &
    identity() const
    {
      return identity_;
    }

    /// Floating-point operations of one low-storage stage.
    double
    stage_flops() const
    {
      const ElementSpace<dim, Number> &of_second_order = *spaces().back();
      return Saltus::stage_flops(law, reference_element(), of_second_order.reference) *
             n_elements();
    }

    /// That this rank sends to others in a stage.
    std::size_t
    bytes_sent() const
    {
      check_set_up();
      return traces->n_bytes();
    }

    const ElementSpace<dim, Number> &
    element_space() const
    {
      check_set_up();
      return *space;
    }

    const ReferenceElement<dim> &
    reference_element() const
    {
      check_set_up();
      return space->reference;
    }

    Device
    device() const
    {
      check_set_up();
      return space->device;
    }

    unsigned int
    n_elements() const
    {
      check_set_up();
      return space->n_elements();
    }

    /// Bytes on the device, without the mesh, which operators share.
    std::size_t
    memory_consumption() const
    {
      return ElementSpace<dim, Number>::table_memory(spaces()) + sums->memory_consumption() +
             boundary->memory_consumption() +
             (second_order_boundary != boundary ? second_order_boundary->memory_consumption() : 0) +
             (given_neighbors.size() + faces_with_given.size()) * sizeof(FaceRecord) +
             hanging->memory_consumption() + hanging_gradients.memory_consumption() +
             (boundary_states.size() + boundary_terms.size() + volume_fields.size() +
              face_fields.size() +
              (projection_of_source ? projection_of_source->values.size() : 0) +
              source.data_size() + second_order_terms.data_size()) *
               sizeof(Number) +
             at_points.size();
    }

  private:
    template <int, typename, typename>
    friend class MixedConservationLawOperator;

    static const bool has_gpu_kernels; ///< initialized before the program begins

    /// Values at points that one field function fills, as a part of an array.
    struct Filling
    {
      PointValues<dim, Number> values;
      Number                  *target;
      bool                     primitive;
    };

    /// What holds at the boundary, at the points of a space.
    struct Boundary
    {
      /// @param n_numbers_inside given at each point where there is an element of another shape
      /// @param form see ElementMetrics
      Boundary(const ElementSpace<dim, Number> &space,
               const BoundaryConditions<dim>   &boundary_conditions,
               const Law                       &law,
               const unsigned int               n_numbers_inside,
               const std::optional<MetricForm>  form = {});

      BoundaryArrays<Number>
      arrays() const
      {
        BoundaryArrays<Number> result;
        result.n_faces = faces.size();
        result.faces   = faces.data();
        result.data    = data.data();
        result.normals = normals.data();
        return result;
      }

      std::size_t
      memory_consumption() const
      {
        return faces.size() * sizeof(BoundaryFaceData) +
               (data.size() + normals.size()) * sizeof(Number);
      }

      Memory<BoundaryFaceData> faces;
      Memory<Number>           data, normals;
      std::vector<Filling>     fillings;
      std::vector<std::size_t> first; ///< `[b]`: where the data of boundary faces begin
    };

    /// What makes coefficients of a function. To use it only launches work.
    struct Projection
    {
      Projection(const ElementSpace<dim, Number> &space,
                 const FieldFunction<dim>        &function,
                 const bool                       primitive);

      Memory<Number>                 values; ///< `[block][q][l][c]`, at the volume points
      const Filling                  filling;
      const PointFactors<Number>     volumes; ///< \f$ |\det J| \f$ over its mean
      const InverseMass<dim, Number> inverse_mass;
    };

    /// All but the space.
    void
    set_up(const Law                     &law,
           const BoundaryConditions<dim> &boundary_conditions,
           const AdditionalData          &additional_data);

    void
    set_up_boundary(const BoundaryConditions<dim> &boundary_conditions);

    void
    set_up_second_order(const unsigned int quadrature_increase);

    void
    set_up_viscosities();

    void
    prepare_kernels();

    /// For the kernels of GPUs; the others read all neighbours.
    void
    set_up_given_faces();

    void
    set_up_fields(const FieldFunction<dim> &function);

    void
    set_up_source(const FieldFunction<dim> &function);

    /// @throws dealii::ExcMessage before reinit()
    void
    check_set_up() const;

    /// @throws dealii::ExcMessage if @p vector has another shape or device
    /// @param name for the message
    /// @param may_be_on_host whether a copy in host memory will do, see Vector::copy_to_host()
    void
    check_vector(const Vector<Number> &vector,
                 const std::string    &name,
                 const bool            may_be_on_host = false) const;

    /// Kernels for all elements at a time, after making their device the current one.
    const ConservationLawKernels<Law, Number> &
    on_device() const
    {
      device().make_current();
      return kernels.whole();
    }

    /// @throws dealii::ExcMessage if @p clock is not one that make_clock() has made
    void
    check_clock(const TimeClock &clock) const;

    std::vector<const std::vector<Filling> *>
    all_fillings() const
    {
      std::vector<const std::vector<Filling> *> result = {&boundary->fillings, &field_fillings};
      if (second_order_boundary != boundary)
        result.push_back(&second_order_boundary->fillings);
      return result;
    }

    /// @param time on the device
    /// FieldFunction::time_at() on the device.
    Memory<TimeState>
    time_of(const FieldFunction<dim> &function, const std::optional<double> time = {}) const;

    void
    fill(const Filling &filling, const TimeState *time, const double fraction) const;

    void
    fill_time_dependent(const std::vector<Filling> &fillings,
                        const TimeState            *time,
                        const double                fraction) const;

    /// @param time on the device
    void
    project(const Projection    &projection,
            const TimeState     *time,
            const double         fraction,
            const ProjectionMass mass,
            Vector<Number>      &u) const;

    void
    limit_to_positive(LimiterArguments<Law, Number> &arg) const;

    void
    set_up_to_neighbors();

    StageArguments<Law, Number>
    arguments() const;

    /// The space with a rule.
    const ElementSpace<dim, Number> &
    face_rule(const FluxRule rule) const
    {
      check_set_up();
      return rule == FluxRule::second_order && second_order ? *second_order_space : *space;
    }

    /// All that there are.
    std::vector<const ElementSpace<dim, Number> *>
    spaces() const
    {
      check_set_up();
      if (second_order)
        return {space.get(), second_order_space.get()};
      return {space.get()};
    }

    /// Of the space; on simplices second-order fluxes have one of their own.
    static StoredMetrics
    metrics_for(const ElementMesh<dim> &mesh, const Law &law, const AdditionalData &additional_data)
    {
      return !mesh.shape.is_simplex() && has_second_order_flux(law, additional_data)
               ? StoredMetrics::for_all_fluxes
               : StoredMetrics::for_curved_elements;
    }

    static bool
    has_second_order_flux(const Law &law, const AdditionalData &additional_data)
    {
      return HasSecondOrderFlux<Law>::of(law) || additional_data.artificial_viscosity.strength > 0.;
    }

    /// The residual itself: a stage with a step of length 1 that keeps nothing else.
    static StageCoefficients
    residual_stage(const double fraction)
    {
      StageCoefficients coefficients;
      coefficients.c    = 1.;
      coefficients.time = fraction;
      return coefficients;
    }

    StepSizeArguments<Law, Number>
    step_size_arguments(TimeClock &clock, const Vector<Number> &u) const;

    /// What stage() does with the elements' own steps.
    void
    local_stage(TimeClock               &clock,
                const StageCoefficients &coefficients,
                const Vector<Number>    &u,
                const Vector<Number>    &base,
                Vector<Number>          &accumulator,
                Vector<Number>          &out) const;

    /// As if the residual of the stage that has made @p out had had the source, too.
    void
    add_source(TimeClock               &clock,
               const StageCoefficients &coefficients,
               const double            *dt,
               Vector<Number>          &accumulator,
               Vector<Number>          &out) const;

    /// The update of a stage with the residual @p r.
    /// @param dt of all elements
    /// @param steps of each alone; nullptr: none
    void
    update(const StageCoefficients &coefficients,
           const double            *dt,
           const Number            *steps,
           const Vector<Number>    &r,
           const Vector<Number>    &u,
           const Vector<Number>    &base,
           Vector<Number>          &accumulator,
           Vector<Number>          &out) const;

    /// statistics() with modes and determinants at the points of a rule.
    StateStatistics
    statistics_by(const ElementTables<Number> &tables,
                  const StoredArrays<Number>  &stored,
                  const Vector<Number>        &u) const;

    /// @name Artificial viscosity, if there is any, in steps: MixedConservationLawOperator has
    /// something to do between them
    /// @{
    bool
    has_artificial_viscosity() const
    {
      return artificial_viscosity.strength > 0.;
    }

    /// Choose the number of each element.
    void
    choose_viscosities(TimeClock &clock, const Vector<Number> &u) const;

    /// Choose what there is where this operator is alone on the mesh.
    void
    set_viscosities(TimeClock &clock, const Vector<Number> &u) const;

    /// What begin_step() and apply() do besides.
    void
    set_step_size(TimeClock &clock, const Vector<Number> &u, const Limiter limiter) const;

    void
    residual_at(TimeClock            &clock,
                const Vector<Number> &u,
                Vector<Number>       &r,
                const double          fraction) const;

    ViscosityArrays<Number>
    viscosity_arrays() const
    {
      if (!has_artificial_viscosity())
        return {};
      if (!artificial_viscosity.continuous)
        return {viscosities.data(), 1};
      return {viscosities_at_points.data(),
              static_cast<int>(VertexMaxima<dim, Number>::n_values(second_order_space->reference))};
    }
    /// @}

    /// stage() with \f$ \Delta t \f$ from @p dt, on the device.
    void
    run_stage(TimeClock               &clock,
              const StageCoefficients &coefficients,
              const double            *dt,
              const Vector<Number>    &u,
              const Vector<Number>    &base,
              Vector<Number>          &accumulator,
              Vector<Number>          &out) const;

    Law                                                      law;
    unsigned int                                             degree = 0;
    std::shared_ptr<const ElementSpace<dim, Number>>         space;
    std::shared_ptr<const ElementSpace<dim, Number>>         second_order_space; ///< with its rules
    std::unique_ptr<const ElementSums>                       sums;
    mutable std::unique_ptr<const IntegralRule<dim, Number>> integral_rule; ///< once it is used
    KernelsOfRanges<ConservationLawKernels<Law, Number>>     kernels;
    KernelsOfRanges<SecondOrderKernels<Law, Number>> second_order_kernels; ///< if second_order

    std::shared_ptr<Boundary> boundary;
    std::shared_ptr<Boundary> second_order_boundary; ///< the same, if it has the same points
    Memory<Number>            volume_fields, face_fields;
    std::vector<Filling>      field_fillings;
    Memory<FaceRecord>        given_neighbors, faces_with_given; ///< see GivenFaces

    std::unique_ptr<const HangingFaces<Number>> hanging;
    HangingGradientMemory<Number>               hanging_gradients; ///< for a second-order flux

    Memory<Number> to_neighbors; ///< see LimiterArguments; where that limiter may be applied

    /// What a stage and what the limiter needs of ghosts.
    std::shared_ptr<const GhostExchange<Number>> traces, means;

    Memory<double> one; ///< the step size with which a stage is the residual

    bool                                         second_order = false;
    ArtificialViscosity                          artificial_viscosity;
    std::shared_ptr<const GhostExchange<Number>> viscosity_exchange; ///< of elements' numbers
    /// If they are continuous and no other operator is there.
    std::unique_ptr<const VertexMaxima<dim, Number>> vertex_maxima;

    std::unique_ptr<const Projection> projection_of_source; ///< where there is a source

    mutable Memory<Number>        boundary_states;       ///< room for kernels during a stage
    mutable Memory<Number>        boundary_terms;        ///< likewise
    mutable Vector<Number>        second_order_terms;    ///< likewise
    mutable Vector<Number>        viscosities;           ///< artificial, of elements
    mutable Vector<Number>        viscosities_at_points; ///< if they are continuous
    mutable Vector<Number>        steps, residual;       ///< of local steps
    mutable Vector<Number>        source;                ///< coefficients, of the last time wanted
    mutable Memory<unsigned char> at_points;             ///< see LimiterArguments
    Identity                      identity_;
  };
} // namespace Saltus

#endif
