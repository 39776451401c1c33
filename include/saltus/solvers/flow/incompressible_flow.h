// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_incompressible_flow_h
#define saltus_solvers_flow_incompressible_flow_h

#include <saltus/operators/flow/component_sums.h>
#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/stabilization_operator.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/function_moments.h>
#include <saltus/solvers/flow/change_extrapolation.h>
#include <saltus/solvers/flow/velocity_preconditioner.h>
#include <saltus/solvers/krylov/solution_projection.h>
#include <saltus/solvers/krylov/solve_report.h>
#include <saltus/solvers/multigrid/p_multigrid.h>
#include <saltus/solvers/time/runge_kutta.h>

#include <deque>
#include <memory>
#include <type_traits>
#include <vector>

namespace Saltus
{
  /// Whose conjugate gradients solve a linear system.
  enum class KrylovMethod
  {
    dealii_cg, ///< see solve_cg()
    belos      ///< see solve_belos()
  };

  /// What the solvers of a time step did.
  struct FlowStepReport
  {
    SolveReport  velocity, pressure;
    SolveReport  stabilization;   ///< if there are penalties
    double       cfl         = 0; ///< of the step, or of a subcycle, at its beginning
    unsigned int n_subcycles = 0; ///< from the step's beginning; 0: convection was extrapolated
    /// Volume over time that the velocities given at the step's end let out of a domain without
    /// outflow, or in. It should be 0: a uniform source balances it.
    double net_flux = 0;
    /// Rate at which the integrals of the velocity's components change: the backward difference of
    /// the step.
    dealii::Tensor<1, 3> momentum_rate;

    /// Seconds that the parts of the splitting took, with what prepares them: convection (17a),
    /// viscous step (17b), pressure (17c), update (17d), penalties.
    double convection_time = 0, velocity_time = 0, pressure_time = 0, update_time = 0,
           stabilization_time = 0;
  };

  /// An incompressible flow at one time.
  /// @tparam VectorType Vector, or BlockVector
  template <typename VectorType>
  struct FlowState
  {
    double     time = 0;
    VectorType velocity, pressure;
  };

  /// Steps in time of the incompressible Navier-Stokes equations \f[
  ///   \partial_t u + \nabla\cdot(u \otimes u) = -\nabla p + \nu \Delta u + f, \qquad
  ///   \nabla\cdot u = 0 \f]
  /// by the splitting of Karakus et al. (equation 17): backward differentiation of order S, an
  /// explicit convective step, a screened Poisson equation for the velocity and Poisson's equation
  /// for the change of the pressure. The convective step extrapolates, or follows the flow in
  /// subcycles (section 2.3). Steps may have any lengths; where fewer states are known than the
  /// order asks for, it is lower.
  /// @tparam Shapes FlowOnOneShape, or FlowOnMixedShapes for meshes that mix shapes
  template <int dim, typename Shapes = FlowOnOneShape<dim>>
  class IncompressibleFlow
  {
  public:
    using Meshes     = typename Shapes::Meshes;
    using VectorType = typename Shapes::VectorType;
    using Operators  = typename Shapes::Operators;
    using Fields     = typename Shapes::Fields;
    using State      = FlowState<VectorType>;
    using Multigrid  = PMultigrid<typename Shapes::template Laplace<float>>;

    struct AdditionalData
    {
      double             viscosity  = 1.; ///< nu
      FieldFunction<dim> body_force = {}; ///< f, `dim` components; empty: zero

      unsigned int order = 2; ///< S, 1 to 3
      /// Pressures from which the next is extrapolated, 0 to 2. Steps have at most one order more.
      /// With 2 they are stable only where friction is strong.
      unsigned int pressure_order = 1;
      /// Steps of convection in a time step; 0: it is extrapolated.
      unsigned int n_subcycles = 0;
      /// If it is positive: as many steps of convection in every time step that none has a larger
      /// CFL number, at least one, instead of `n_subcycles`. Velocities of the history pass the
      /// time steps that lie between in as many as these steps had, or more if the velocity grew
      /// in them.
      double subcycle_cfl = 0.;

      double                             penalty_factor  = 1.; ///< see LaplaceOperator
      typename Operators::AdditionalData operators       = {0, 0.5};
      SolverSettings                     velocity_solver = {1e-8, 1000};
      SolverSettings                     pressure_solver = {1e-6, 1000};
      KrylovMethod                       krylov_method   = KrylovMethod::dealii_cg;
      /// Solutions of the pressure equation from which the first guess for the next is made.
      unsigned int                       n_known_solutions = 8;
      typename Multigrid::AdditionalData multigrid         = {}; ///< of the pressure

      VelocityPreconditioning velocity_preconditioner       = VelocityPreconditioning::automatic;
      typename Multigrid::AdditionalData velocity_multigrid = {}; ///< if that is p_multigrid

      /// Penalties on divergence and normal jumps of the velocity after each step, against
      /// instability of under-resolved flows and of subcycles: the factors of
      /// StabilizationOperator. 0: none, for flows that are resolved well.
      double         divergence_penalty = 1., continuity_penalty = 1.;
      SolverSettings stabilization_solver = {1e-6, 1000};
    };

    /// Nothing of what was before goes on, not even the time: set_state() begins the flow anew.
    /// @param velocity,pressure see FlowOperators
    /// @throws dealii::ExcMessage for numbers out of range, and what the operators throw
    void
    reinit(const Meshes                      &meshes,
           const dealii::DoFHandler<dim>     &velocity,
           const dealii::DoFHandler<dim>     &pressure,
           const FlowBoundaryConditions<dim> &conditions,
           const Device                       device,
           const AdditionalData              &additional_data);

    /// Add a state to the history, which is forgotten if its time is not before @p time. The first
    /// one begins the flow; more of them, from early to late, let it begin with a high order.
    void
    set_state(const double time, const VectorType &velocity, const VectorType &pressure);

    /// The same with L2 projections; without a pressure that of compute_pressure().
    void
    set_state(const double              time,
              const FieldFunction<dim> &velocity,
              const FieldFunction<dim> &pressure);

    /// Subtract a discrete gradient from the velocity of the latest state, so that its discrete
    /// divergence (FlowOperators::divergence(), with the boundary data at its time) vanishes up to
    /// the tolerance; if constants are in the kernel, up to its mean, for which what flows in and
    /// out is answerable. Nothing is done if the divergence is below the tolerance times
    /// FlowOperators::convection_rate() already.
    ///
    /// The step (17c,d) would not do: the interior penalty matrix there is not the divergence of
    /// the discrete gradient, and leaves what jumps of the subtracted potential contribute to the
    /// divergence, which falls with the mesh size and the degree only. Here it preconditions that
    /// product, whose low end it misses: iterations are many and grow as the mesh width falls.
    /// (Steps leave the divergence of (17c,d), whatever they begin with.)
    /// @throws NoConvergence, for example if given velocities contradict each other
    SolveReport
    project_to_divergence_free(const SolverSettings &settings = {1e-8, 10000});

    /// Replace the pressure of the latest state by the solution of \f[
    ///   -\Delta p = -\nabla \cdot (f - \nabla \cdot (u \otimes u)), \qquad
    ///   n \cdot \nabla p = n \cdot (f - \nabla \cdot (u \otimes u)) \f]
    /// with its velocity u and the body force f at its time, and the given pressure at outflows.
    /// Friction and given velocities that change with time are left to the steps.
    /// @throws NoConvergence
    SolveReport
    compute_pressure(const SolverSettings &settings = {1e-10, 10000});

    /// All that the steps to come depend on, to go on from it bit by bit.
    struct Memory
    {
      std::vector<State>      states;             ///< the latest first
      std::vector<VectorType> pressure_solutions; ///< see SolutionProjection::solutions()
      std::vector<typename ChangeExtrapolation<VectorType>::Rate>
        stabilization_rates; ///< see ChangeExtrapolation::rates()
    };

    /// @throws dealii::ExcMessage before reinit()
    Memory
    memory() const;

    /// @param memory from memory() of a flow that was made with the same arguments
    void
    set_memory(const Memory &memory);

    /// @throws std::runtime_error naming the CFL number if a linear system is not solved, and
    /// dealii::ExcMessage if the step (or a subcycle) is too long to be stable: if its CFL number
    /// (see FlowOperators::convection_rate()) is above 10, or no number; if the kinetic energy
    /// grows by more than 1 % without a force or boundary data; or if `subcycle_cfl` asks for more
    /// than 1000 subcycles. The message says what advice() finds. The state is then that before the
    /// step.
    FlowStepReport
    step(const double dt);

    /// What may have let the velocity grow, for messages: fluid that comes in through outflows, a
    /// large divergence, a pressure of second order; empty if nothing of that is found. Collective.
    std::string
    advice() const;

    /// The balance of momentum of the whole domain after a step, \f[
    ///   \int \partial_t u + \nabla\cdot(u \otimes u) + \nabla p - \nu \Delta u - f, \f]
    /// with the terms as the operators compute them from the state: fluxes through the boundary and
    /// the body force. The splitting and the penalties leave this residual, which falls with the
    /// step. Collective.
    /// @param rate FlowStepReport::momentum_rate
    dealii::Tensor<1, dim>
    momentum_residual(const dealii::Tensor<1, 3> &rate);

    double
    time() const
    {
      return now().time;
    }

    const VectorType &
    velocity() const
    {
      return now().velocity;
    }

    /// Up to a constant if the velocity is given on all of the boundary: then with the mean 0.
    const VectorType &
    pressure() const
    {
      return now().pressure;
    }

    /// FlowOperators::convection_rate() of the velocity.
    double
    convection_rate() const
    {
      return now().convection_rate;
    }

    /// Whether there is a boundary where it is given; see pressure().
    bool
    determines_pressure() const
    {
      return !poisson.is_singular();
    }

    /// Whether there is a solve for them in each step.
    bool
    has_stabilization() const
    {
      return data.divergence_penalty != 0. || data.continuity_penalty != 0.;
    }

    const Operators &
    operators() const
    {
      return flow;
    }

    /// See ViscousOperator::of_component().
    /// @param i number of the shape
    const LaplaceOperator<dim> &
    viscous_component([[maybe_unused]] const unsigned int i) const
    {
      if constexpr (std::is_same_v<VectorType, Vector<double>>)
        return viscous.of_component();
      else
        return viscous.part(i).of_component();
    }

  private:
    struct KnownState : public State
    {
      VectorType convection;      ///< without subcycles
      double     convection_rate; ///< see FlowOperators
      double     energy;          ///< kinetic_energy()

      dealii::Tensor<1, dim> momentum; ///< integral of the velocity
    };

    using Update = FlowUpdate<double, VectorType>;
    using Terms  = std::vector<typename VectorSum<double, VectorType>::Term>;
    using Map    = LinearMap<double, VectorType>;

    const KnownState &
    now() const;

    /// @param energy kinetic_energy() of @p velocity
    /// @param velocity,pressure are swapped with vectors that are not needed any more
    void
    add_to_history(const double time,
                   const double energy,
                   VectorType  &velocity,
                   VectorType  &pressure);

    /// The sum of @p sums of all shapes.
    template <typename Sums>
    dealii::Tensor<1, dim>
    over_shapes(const Sums &sums) const;

    /// Vectors for the next state: if the history is full those of the oldest one, which leaves it.
    KnownState
    unused_state();

    void
    check(const AdditionalData &data) const;

    /// If nothing feeds the flow, else 0. Overwrites `rhs`.
    double
    kinetic_energy(const VectorType &u);

    /// kinetic_energy() of the new velocity.
    /// @throws std::runtime_error if nothing feeds the flow, but it is more than that of each state
    /// of the history
    double
    checked_energy(const double dt);

    bool
    has_subcycles() const
    {
      return data.n_subcycles > 0 || data.subcycle_cfl > 0.;
    }

    /// From the state @p i of the history to the next.
    unsigned int
    n_subcycles(const unsigned int i, const double new_time) const;

    /// CFL number of the step from the state @p i of the history to the next.
    double
    cfl_from(const unsigned int i, const double new_time) const;

    /// Those from all states of the history that a step of length @p dt begins with.
    /// @throws dealii::ExcMessage if there would be too many in one of its steps
    void
    check_subcycles(const double dt) const;

    /// What step() does, once its length is known to be acceptable.
    void
    advance(const double dt, FlowStepReport &report);

    /// That of a step, or of a subcycle.
    /// @throws dealii::ExcMessage if the step is too long
    double
    stable_cfl(const double dt) const;

    /// What the convective step makes of the velocities (17a, 18), over the time step.
    /// @param weights of the velocities in the derivative with respect to time
    Terms
    convective_step(const std::vector<double> &weights, const double new_time);

    /// Let the flow carry (19) the sum of the velocities of the history from the oldest to number
    /// @p i, each times its weight, from the time of the latter over one time step.
    /// @param weights as in convective_step()
    void
    transport(const unsigned int i, const std::vector<double> &weights, const double new_time);

    SolveReport
    solve(const Map            &matrix,
          VectorType           &x,
          const VectorType     &b,
          const Map            &preconditioner,
          const SolverSettings &settings) const;

    SolveReport
    solve_velocity(const double     new_time,
                   const double     rate,
                   const Terms     &known,
                   const Terms     &guess,
                   const Terms     &pressure,
                   const DataTimes &pressure_times);

    /// @param net_flux see FlowStepReport
    SolveReport
    solve_pressure(const double     new_time,
                   const double     rate,
                   const DataTimes &times,
                   double          &net_flux);

    /// Reduce divergence and jumps of the new velocity.
    SolveReport
    solve_stabilization(const double dt);

    AdditionalData                            data;
    Meshes                                    meshes_;
    Operators                                 flow;
    typename Shapes::Viscous                  viscous;
    typename Shapes::Stabilization            stabilization;
    typename Shapes::template Laplace<double> poisson; ///< for the pressure
    Multigrid                                 multigrid;

    VelocityPreconditioner<dim, Shapes>                        velocity_preconditioner;
    typename Shapes::template Diagonal<ElementScaling<double>> inverse_mass; ///< for penalties
    bool                                                       is_unforced = false;
    typename Shapes::template Diagonal<ElementScaling<double>> mass; ///< if it is unforced
    std::vector<ComponentSums<dim>>                            component_sums; ///< one a shape
    std::unique_ptr<SolutionProjection<double, VectorType>>    known_solutions;
    ChangeExtrapolation<VectorType> stabilization_changes; ///< of the velocity
    /// One a shape, or none.
    std::vector<std::unique_ptr<FunctionMoments<dim, double>>> body_force;
    RungeKutta                                                 subcycle{"LSRK45"};

    std::deque<KnownState> history; ///< the latest first

    /// Scratch, and results of a step until it is done; the last three for subcycles.
    VectorType new_velocity, rhs, pressure_change, pressure_rhs, carried, next, accumulator;
  };

  /// IncompressibleFlow on meshes that mix triangles and quadrilaterals.
  template <int dim>
  using MixedIncompressibleFlow = IncompressibleFlow<dim, FlowOnMixedShapes<dim>>;
} // namespace Saltus

#endif
