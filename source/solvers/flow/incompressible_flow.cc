// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/error_message.h>
#include <saltus/base/device/stopwatch.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/pressure_penalty.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/inverse_mass.h>
#include <saltus/solvers/flow/incompressible_flow.h>
#include <saltus/solvers/flow/multistep.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The beginning of a message.
    std::string
    step_text(const double time, const double dt, const double cfl)
    {
      std::ostringstream text;
      text << "The step of length " << dt << " at time " << time << " has the CFL number " << cfl;
      return text.str();
    }

    /// `dst = sum`
    template <typename VectorType, typename Terms>
    void
    set_sum(VectorType &dst, const Terms &sum)
    {
      dst = 0.;
      for (const auto &term : sum)
        dst.add(term.factor, *term.vector);
    }
  } // namespace

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::check(const AdditionalData &data) const
  {
    AssertThrow(std::isfinite(data.viscosity) && data.viscosity > 0.,
                ExcMessage("The viscosity must be positive, but is " +
                           std::to_string(data.viscosity) + "."));
    AssertThrow(data.order >= 1 && data.order <= 3,
                ExcMessage("The order of the time steps is 1, 2 or 3, not " +
                           std::to_string(data.order) + "."));
    AssertThrow(data.pressure_order <= 2,
                ExcMessage("The pressure is extrapolated from 0, 1 or 2 earlier ones, not " +
                           std::to_string(data.pressure_order) + "."));
    AssertThrow(data.krylov_method == KrylovMethod::dealii_cg ||
                  (std::is_same_v<VectorType, Vector<double>>),
                ExcMessage("Belos is not there on meshes that mix shapes: take deal.II's conjugate "
                           "gradients."));
    AssertThrow(std::isfinite(data.subcycle_cfl) && data.subcycle_cfl >= 0.,
                ExcMessage("The CFL number of subcycles must not be negative, but is " +
                           std::to_string(data.subcycle_cfl) + "."));
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::reinit(const Meshes                      &meshes,
                                          const DoFHandler<dim>             &velocity,
                                          const DoFHandler<dim>             &pressure,
                                          const FlowBoundaryConditions<dim> &conditions,
                                          const Device                       device,
                                          const AdditionalData              &additional_data)
  {
    check(additional_data);
    data    = additional_data;
    meshes_ = meshes;
    history.clear();
    stabilization_changes = {};
    stabilization         = {};
    inverse_mass          = {};
    carried = next = accumulator       = VectorType();
    const unsigned int degree          = velocity.get_fe(0).degree;
    const unsigned int pressure_degree = pressure.get_fe(0).degree;
    flow.reinit(meshes, velocity, pressure, conditions, device, data.operators);
    viscous.reinit(meshes, degree, conditions, device, {0., data.penalty_factor});
    double larger_penalty = 0.; // what one shape needs suits the other
    for (const auto &mesh : Shapes::all(meshes))
      larger_penalty =
        std::max(larger_penalty, pressure_penalty_factor(mesh->shape, degree, pressure_degree));
    typename LaplaceOperator<dim>::AdditionalData of_poisson;
    of_poisson.penalty_factor = data.penalty_factor * larger_penalty;
    poisson.reinit(meshes, pressure_degree, conditions.of_pressure(), device, of_poisson);
    multigrid.initialize(poisson, data.multigrid);
    std::vector<const ElementSpace<dim, double> *> spaces;
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      spaces.push_back(&flow.part(i).velocity_space());
    velocity_preconditioner.reinit(meshes,
                                   spaces,
                                   conditions,
                                   {data.velocity_preconditioner,
                                    data.penalty_factor,
                                    data.velocity_multigrid});
    if (has_stabilization())
      {
        stabilization.reinit(meshes,
                             degree,
                             device,
                             {data.divergence_penalty, data.continuity_penalty});
        for (unsigned int i = 0; i < spaces.size(); ++i)
          part_of(inverse_mass, i) = ElementMass<dim, double>(*spaces[i]).inverse();
      }
    is_unforced = data.body_force.empty();
    for (const auto &[id, condition] : conditions.conditions())
      is_unforced =
        is_unforced && condition.data.empty() && condition.normal_derivative.empty() &&
        (condition.kind != FlowBoundary::outflow || data.operators.backflow_stabilization >= 0.5);
    mass = {};
    if (is_unforced)
      for (unsigned int i = 0; i < spaces.size(); ++i)
        part_of(mass, i).reinit(device,
                                ElementMass<dim, double>(*spaces[i]).element_factors(),
                                dim);
    component_sums.clear();
    for (const auto *space : spaces)
      component_sums.emplace_back(*space);
    body_force.clear();
    if (!data.body_force.empty())
      for (const auto *space : spaces)
        body_force.push_back(
          std::make_unique<FunctionMoments<dim, double>>(*space, data.body_force, "body force"));
    new_velocity = rhs = flow.make_velocity();
    pressure_change = pressure_rhs = flow.make_pressure();
    known_solutions =
      std::make_unique<SolutionProjection<double, VectorType>>(data.n_known_solutions,
                                                               pressure_rhs);
    if (has_subcycles())
      carried = next = accumulator = rhs;
  }

  template <int dim, typename Shapes>
  const typename IncompressibleFlow<dim, Shapes>::KnownState &
  IncompressibleFlow<dim, Shapes>::now() const
  {
    AssertThrow(!history.empty(),
                ExcMessage("The flow has no state to begin with: call set_state() first."));
    return history.front();
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::set_state(const double      time,
                                             const VectorType &velocity,
                                             const VectorType &pressure)
  {
    check_same_layout(velocity, rhs, "incompressible flow");
    check_same_layout(pressure, pressure_rhs, "incompressible flow");
    VectorType u = velocity, p = pressure;
    if (poisson.is_singular())
      poisson.set_mean_value(p, 0.);
    add_to_history(time, kinetic_energy(u), u, p);
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::add_to_history(const double time,
                                                  const double energy,
                                                  VectorType  &velocity,
                                                  VectorType  &pressure)
  {
    const double rate = flow.convection_rate(velocity);
    if (has_subcycles())
      flow.update_velocity_ghosts(velocity);
    else
      flow.convection(rhs, velocity, time);

    if (!history.empty() && history.front().time >= time)
      history.clear();
    KnownState state      = unused_state();
    state.time            = time;
    state.convection_rate = rate;
    state.energy          = energy;
    state.momentum        = over_shapes([&](const auto &sums, const unsigned int i) {
      return sums.integrals(block_of(velocity, i));
    });
    state.velocity.swap(velocity);
    state.pressure.swap(pressure);
    if (!has_subcycles())
      state.convection.swap(rhs);
    history.push_front(std::move(state));
  }

  template <int dim, typename Shapes>
  template <typename Sums>
  Tensor<1, dim>
  IncompressibleFlow<dim, Shapes>::over_shapes(const Sums &sums) const
  {
    Tensor<1, dim> result;
    for (unsigned int i = 0; i < component_sums.size(); ++i)
      result += sums(component_sums[i], i);
    return result;
  }

  template <int dim, typename Shapes>
  Tensor<1, dim>
  IncompressibleFlow<dim, Shapes>::momentum_residual(const Tensor<1, 3> &rate)
  {
    Update of_gradient;
    of_gradient.base       = new_velocity;
    of_gradient.times_mass = true;
    flow.convection(new_velocity, now().velocity, time());
    flow.gradient(rhs, now().pressure, time(), of_gradient);
    const auto add_sums = [&](Tensor<1, dim> &result, const double factor) {
      result += factor * over_shapes([&](const auto &sums, const unsigned int i) {
                  return sums.sums(block_of(rhs, i));
                });
    };
    Tensor<1, dim> result;
    for (unsigned int d = 0; d < dim; ++d)
      result[d] = rate[d];
    add_sums(result, 1.);

    viscous.set_reaction(0.);
    viscous.vmult(rhs, now().velocity);
    add_sums(result, data.viscosity);
    rhs = 0.;
    viscous.add_boundary_data(rhs, time());
    for (unsigned int i = 0; i < body_force.size(); ++i)
      body_force[i]->add(block_of(rhs, i), time(), 1. / data.viscosity);
    add_sums(result, -data.viscosity);
    return result;
  }

  template <int dim, typename Shapes>
  typename IncompressibleFlow<dim, Shapes>::KnownState
  IncompressibleFlow<dim, Shapes>::unused_state()
  {
    KnownState state;
    if (history.size() == std::max(data.order, data.pressure_order))
      {
        state = std::move(history.back());
        history.pop_back();
      }
    else
      {
        state.velocity = flow.make_velocity();
        state.pressure = flow.make_pressure();
        if (!has_subcycles())
          state.convection = state.velocity;
      }
    return state;
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::project_to_divergence_free(const SolverSettings &settings)
  {
    State  state = now();
    Update of_divergence;
    of_divergence.scale      = -1.;
    of_divergence.times_mass = true;
    flow.divergence(pressure_rhs, state.velocity, state.time, of_divergence);
    if (poisson.is_singular())
      poisson.remove_null_space(pressure_rhs);
    // The mass matrix times a divergence as large as the velocity could have it everywhere.
    double largest = 0.;
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      {
        const auto &space = flow.part(i).pressure_space();
        largest =
          std::hypot(largest,
                     now().convection_rate * std::sqrt(space.reference.reference_cell.volume()) *
                       ElementMass<dim, double>(space).factors().l2_norm());
      }
    if (pressure_rhs.l2_norm() <= settings.tolerance * largest)
      return {};
    const auto minus_laplacian = [&](VectorType &dst, const VectorType &src) {
      flow.gradient(new_velocity, src);
      flow.divergence(dst, new_velocity, {}, of_divergence);
    };
    pressure_change = 0.;
    const SolveReport report =
      solve(minus_laplacian, pressure_change, pressure_rhs, multigrid, settings);
    Update update;
    update.base  = state.velocity;
    update.scale = -1.;
    flow.gradient(new_velocity, pressure_change, {}, update);
    state.velocity = new_velocity;
    history.pop_front();
    add_to_history(state.time, kinetic_energy(state.velocity), state.velocity, state.pressure);
    return report;
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::compute_pressure(const SolverSettings &settings)
  {
    const double time = now().time;
    rhs               = 0.;
    for (unsigned int i = 0; i < body_force.size(); ++i)
      body_force[i]->add(block_of(rhs, i), time);
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      InverseMass<dim, double>(flow.part(i).velocity_space())
        .vmult(block_of(new_velocity, i), block_of(rhs, i));
    Update acceleration;
    acceleration.base  = new_velocity;
    acceleration.scale = -1.;
    flow.convection(rhs, now().velocity, time, acceleration);
    Update minus;
    minus.scale      = -1.;
    minus.times_mass = true;
    flow.divergence(pressure_rhs, rhs, {}, minus);
    poisson.add_boundary_data(pressure_rhs, time);
    if (poisson.is_singular())
      poisson.remove_null_space(pressure_rhs);
    pressure_change          = 0.;
    const SolveReport report = solve(poisson, pressure_change, pressure_rhs, multigrid, settings);
    if (poisson.is_singular())
      poisson.set_mean_value(pressure_change, 0.);
    history.front().pressure.swap(pressure_change);
    return report;
  }

  template <int dim, typename Shapes>
  typename IncompressibleFlow<dim, Shapes>::Memory
  IncompressibleFlow<dim, Shapes>::memory() const
  {
    AssertThrow(known_solutions != nullptr,
                ExcMessage("The incompressible flow is not set up: call reinit() first."));
    return {{history.begin(), history.end()},
            known_solutions->solutions(),
            stabilization_changes.rates()};
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::set_memory(const Memory &memory)
  {
    history.clear();
    for (auto state = memory.states.rbegin(); state != memory.states.rend(); ++state)
      {
        VectorType velocity = state->velocity, pressure = state->pressure;
        add_to_history(state->time, kinetic_energy(velocity), velocity, pressure);
      }
    known_solutions->set_solutions(memory.pressure_solutions);
    stabilization_changes.set_rates(memory.stabilization_rates);
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::set_state(const double              time,
                                             const FieldFunction<dim> &velocity,
                                             const FieldFunction<dim> &pressure)
  {
    VectorType u = flow.make_velocity(), p = flow.make_pressure();
    const auto project =
      [&](const auto &space, const FieldFunction<dim> &function, const char *name, auto &result) {
        if (!function.empty())
          FunctionMoments<dim, double>(space, function, name).project(result, time);
      };
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      {
        const auto &part = flow.part(i);
        project(part.velocity_space(), velocity, "initial velocity", block_of(u, i));
        project(part.pressure_space(), pressure, "initial pressure", block_of(p, i));
      }
    set_state(time, u, p);
    if (pressure.empty())
      compute_pressure();
  }

  template <int dim, typename Shapes>
  FlowStepReport
  IncompressibleFlow<dim, Shapes>::step(const double dt)
  {
    AssertThrow(std::isfinite(dt) && dt > 0.,
                ExcMessage("A time step must be positive, but is " + std::to_string(dt) + "."));
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      flow.part(i).velocity_space().mesh->check_up_to_date();
    FlowStepReport report;
    report.cfl         = stable_cfl(dt);
    report.n_subcycles = n_subcycles(0, time() + dt);
    // Within one step the velocity may grow beyond all numbers.
    const auto explained = [&](const std::exception &error) {
      return error_message(error) + ' ' + step_text(time(), dt, report.cfl) +
             (has_subcycles() ? " for each subcycle" : "") +
             ". If that is too large to be stable take shorter steps.";
    };
    try
      {
        advance(dt, report);
      }
    catch (const NoConvergence &error) // on all ranks, which give advice together
      {
        throw std::runtime_error(explained(error) + advice());
      }
    catch (const std::exception &error)
      {
        throw std::runtime_error(explained(error));
      }
    return report;
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::advance(const double dt, FlowStepReport &report)
  {
    Stopwatch           watch(new_velocity.device());
    const double        new_time = now().time + dt;
    std::vector<double> times    = {new_time};
    for (const KnownState &state : history)
      times.push_back(state.time);
    times.resize(1 + std::min<std::size_t>(data.order, history.size()));
    const std::vector<double> weights = derivative_weights(times);
    times.erase(times.begin());
    const std::vector<double> extrapolation = interpolation_weights(times, new_time);
    Terms                     known         = convective_step(weights, new_time), guess, pressure;
    for (std::size_t i = 0; i < times.size(); ++i)
      {
        guess.push_back({extrapolation[i], &history[i].velocity});
        if (!has_subcycles())
          known.push_back({-extrapolation[i], &history[i].convection});
      }

    // The pressure as it is known before, and when its boundary data was that.
    std::vector<DataTimes::Term> pressure_times;
    times.resize(std::min<std::size_t>(data.pressure_order, history.size()));
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i] = history[i].time;
    // Where friction dominates, errors of the pressure go on as they are extrapolated. Steps that
    // grow would let them grow as much: the extrapolation reaches no further than earlier steps.
    double reach = history.size() < 2 ? dt : 0.;
    for (std::size_t i = 1; i < history.size(); ++i)
      reach = std::max(reach, history[i - 1].time - history[i].time);
    const std::vector<double> of_pressures =
      interpolation_weights(times, now().time + std::min(dt, reach));
    for (std::size_t i = 0; i < times.size(); ++i)
      {
        pressure.push_back({of_pressures[i], &history[i].pressure});
        pressure_times.push_back({of_pressures[i], times[i]});
      }
    report.convection_time = watch.lap();
    report.velocity = solve_velocity(new_time, weights[0], known, guess, pressure, pressure_times);
    report.velocity_time = watch.lap();
    for (DataTimes::Term &term : pressure_times)
      term.factor *= -1.;
    pressure_times.push_back({1., new_time});
    report.pressure      = solve_pressure(new_time, weights[0], pressure_times, report.net_flux);
    report.pressure_time = watch.lap();

    // (17d)
    Update correction;
    correction.base  = new_velocity;
    correction.scale = -1. / weights[0];
    flow.gradient(new_velocity, pressure_change, pressure_times, correction);
    for (const auto &term : pressure)
      pressure_change.add(term.factor, *term.vector);
    report.update_time = watch.lap();
    if (has_stabilization())
      {
        report.stabilization      = solve_stabilization(dt);
        report.stabilization_time = watch.lap();
      }
    const double energy = checked_energy(dt);
    if (poisson.is_singular())
      poisson.set_mean_value(pressure_change, 0.);
    const auto add_momentum = [&](const double weight, const KnownState &state) {
      for (unsigned int d = 0; d < dim; ++d)
        report.momentum_rate[d] += weight * state.momentum[d];
    };
    for (unsigned int i = 1; i < weights.size(); ++i)
      add_momentum(weights[i], history[i - 1]);
    add_to_history(new_time, energy, new_velocity, pressure_change);
    add_momentum(weights[0], now());
    report.convection_time += watch.lap();
  }

  template <int dim, typename Shapes>
  double
  IncompressibleFlow<dim, Shapes>::kinetic_energy(const VectorType &u)
  {
    if (!is_unforced)
      return 0.;
    mass.vmult(rhs, u);
    return 0.5 * (rhs * u);
  }

  template <int dim, typename Shapes>
  double
  IncompressibleFlow<dim, Shapes>::checked_energy(const double dt)
  {
    // Below this CFL number the fluid is next to at rest: errors of the pressure may move it.
    constexpr double tolerance = 0.01, at_rest = 0.01;

    const double energy = kinetic_energy(new_velocity);
    double       before = 0.;
    for (const KnownState &state : history)
      before = std::max(before, state.energy);
    if (energy <= (1. + tolerance) * before || dt * now().convection_rate < at_rest)
      return energy;
    std::ostringstream text;
    text.precision(2);
    text << "The kinetic energy grows by " << 100. * (energy / before - 1.)
         << " % in a step, although no force, given velocity or pressure feeds the flow: the steps "
            "are not stable."
         << advice();
    throw std::runtime_error(text.str());
  }

  template <int dim, typename Shapes>
  unsigned int
  IncompressibleFlow<dim, Shapes>::n_subcycles(const unsigned int i, const double new_time) const
  {
    if (data.subcycle_cfl == 0.)
      return data.n_subcycles;
    return std::max(1., std::ceil(cfl_from(i, new_time) / data.subcycle_cfl));
  }

  template <int dim, typename Shapes>
  double
  IncompressibleFlow<dim, Shapes>::cfl_from(const unsigned int i, const double new_time) const
  {
    const double dt = (i == 0 ? new_time : history[i - 1].time) - history[i].time;
    return dt * std::max(history[i].convection_rate, history[i == 0 ? 0 : i - 1].convection_rate);
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::check_subcycles(const double dt) const
  {
    // Many more than anyone would want, and far fewer than an integer counts.
    constexpr double limit = 1000.;

    const double      new_time = time() + dt;
    const std::size_t order    = std::min<std::size_t>(data.order, history.size());
    for (std::size_t i = 0; i < order; ++i)
      {
        const double cfl    = cfl_from(i, new_time);
        const double length = i == 0 ? dt : history[i - 1].time - history[i].time;
        AssertThrow(cfl <= limit * data.subcycle_cfl,
                    ExcMessage(step_text(history[i].time, length, cfl) +
                               (i == 0 ? "" : " with the larger velocity at its ends") +
                               ", for which there would be more than " +
                               std::to_string(std::lround(limit)) + " subcycles" +
                               (i == 0 ? "" : " when velocities before it are carried on") +
                               ": take shorter steps, from the beginning if the velocity has grown "
                               "meanwhile."));
      }
  }

  template <int dim, typename Shapes>
  double
  IncompressibleFlow<dim, Shapes>::stable_cfl(const double dt) const
  {
    // No scheme here is stable beyond: what grows passes it before it is no number.
    constexpr double limit = 10.;

    if (data.subcycle_cfl > 0.)
      check_subcycles(dt);
    const double of_subcycle =
      now().convection_rate * dt / std::max<unsigned int>(1, n_subcycles(0, time() + dt));
    AssertThrow(of_subcycle <= limit,
                ExcMessage(step_text(time(), dt, of_subcycle) +
                           (has_subcycles() ? " for each subcycle" : "") +
                           ", too large to be stable: take shorter steps or " +
                           (has_subcycles() ? "more subcycles" : "subcycles") +
                           ", from the beginning if the velocity has grown meanwhile." + advice()));
    return of_subcycle;
  }

  template <int dim, typename Shapes>
  std::string
  IncompressibleFlow<dim, Shapes>::advice() const
  {
    // In flows that are resolved next to nothing comes in, and the divergence is some hundredths of
    // the vorticity.
    constexpr double much_inflow = 0.01, much_divergence = 0.2;

    const auto  &space = flow.part(0).velocity_space();
    const auto   rates = flow.outflow_rates(now().velocity);
    const Fields fields(meshes_, space.reference.degree, space.device);
    auto         values = fields.make_vector();
    fields.evaluate(values, now().velocity, now().pressure);
    const FlowIntegrals integrals = fields.integrals(values);
    const double        ratio     = integrals.divergence_norm / std::sqrt(2. * integrals.enstrophy);
    std::ostringstream  text;
    text.precision(2);
    if (rates.in > much_inflow * (rates.in + rates.out))
      {
        text << " Through outflow boundaries " << 100. * rates.in / (rates.in + rates.out)
             << " % of all that passes comes in";
        if (data.operators.backflow_stabilization < 0.5)
          text << ": a backflow stabilization of 0.5 or more keeps its energy out";
        text << '.';
      }
    if (ratio > much_divergence)
      {
        text << " The norm of the velocity's divergence is " << ratio
             << " of that of its vorticity";
        if (data.divergence_penalty == 0. || data.continuity_penalty == 0.)
          text << ": penalties of 1 on divergence and continuity hold it down";
        else
          text << ": the mesh is too coarse, or the degree too low, for this flow";
        text << '.';
      }
    if (data.pressure_order == 2)
      text << " A pressure that is extrapolated from 2 earlier ones is unstable where friction is "
              "weak: take 1.";
    return text.str();
  }

  template <int dim, typename Shapes>
  typename IncompressibleFlow<dim, Shapes>::Terms
  IncompressibleFlow<dim, Shapes>::convective_step(const std::vector<double> &weights,
                                                   const double               new_time)
  {
    const unsigned int order = weights.size() - 1;
    if (!has_subcycles())
      {
        Terms terms;
        for (unsigned int i = 0; i < order; ++i)
          terms.push_back({-weights[i + 1], &history[i].velocity});
        return terms;
      }
    // What carries them does not depend on what is carried: velocities that pass the same interval
    // pass it as one.
    flow.update_inflow(now().time, new_time - now().time);
    carried = 0.;
    for (unsigned int i = order; i-- > 0;)
      {
        carried.add(-weights[i + 1], history[i].velocity);
        transport(i, weights, new_time);
      }
    return {{1., &carried}};
  }

  template <int dim, typename Shapes>
  void
  IncompressibleFlow<dim, Shapes>::transport(const unsigned int         i,
                                             const std::vector<double> &weights,
                                             const double               new_time)
  {
    const unsigned int  order = weights.size() - 1;
    std::vector<double> times;
    for (unsigned int k = 0; k < order; ++k)
      times.push_back(history[k].time);
    // Fluid that enters has the velocity given at present, without its acceleration since the time
    // whose velocity is carried. The data tell this acceleration. Forces inside would tell it, too,
    // but they feed errors near the boundary back into it, and long steps grow unstable.
    const auto carried_at = [&](const double time) {
      CarriedData data{0., 0.};
      for (unsigned int j = i; j < order; ++j)
        {
          data.factor -= weights[j + 1];
          data.acceleration += weights[j + 1] * (time - times[j]);
        }
      return data;
    };
    const double       begin = times[i], end = i == 0 ? new_time : times[i - 1];
    const unsigned int n_steps = n_subcycles(i, new_time);
    const double       dt      = (end - begin) / n_steps;
    for (unsigned int n = 0; n < n_steps; ++n)
      for (const StageCoefficients &stage : subcycle.stages())
        {
          const double time        = begin + (n + stage.time) * dt;
          const auto   of_carriers = interpolation_weights(times, time);
          Terms        carrier;
          for (unsigned int j = 0; j < order; ++j)
            carrier.push_back({of_carriers[j], &history[j].velocity, true});
          Update update;
          update.base        = carried;
          update.scale       = -dt;
          update.accumulator = &accumulator;
          update.A           = stage.A;
          update.B           = stage.d;
          flow.transport(next, carried, carrier, time, update, carried_at(time));
          carried.swap(next);
        }
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::solve(const Map            &matrix,
                                         VectorType           &x,
                                         const VectorType     &b,
                                         const Map            &preconditioner,
                                         const SolverSettings &settings) const
  {
    SolverSettings in_step = settings;
    in_step.check          = SolutionCheck::none; // of few iterations, which drift little
    if constexpr (std::is_same_v<VectorType, Vector<double>>)
      if (data.krylov_method == KrylovMethod::belos)
        return solve_belos<double>(matrix, x, b, preconditioner, in_step);
    return solve_cg<double>(matrix, x, b, preconditioner, in_step);
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::solve_velocity(const double     new_time,
                                                  const double     rate,
                                                  const Terms     &known,
                                                  const Terms     &guess,
                                                  const Terms     &pressure,
                                                  const DataTimes &pressure_times)
  {
    // (17b) over nu
    Update update;
    Terms  base = known;
    for (auto &term : base)
      term.factor /= data.viscosity;
    update.base       = base;
    update.scale      = -1. / data.viscosity;
    update.times_mass = true;
    const Terms none  = {{0., &history.front().pressure}};
    flow.gradient(rhs, pressure.empty() ? none : pressure, pressure_times, update);
    for (unsigned int i = 0; i < body_force.size(); ++i)
      body_force[i]->add(block_of(rhs, i), new_time, 1. / data.viscosity);
    viscous.set_reaction(rate / data.viscosity);
    viscous.add_boundary_data(rhs, new_time);
    set_sum(new_velocity, guess);
    velocity_preconditioner.set_reaction(rate / data.viscosity);
    return solve(viscous, new_velocity, rhs, velocity_preconditioner, data.velocity_solver);
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::solve_pressure(const double     new_time,
                                                  const double     rate,
                                                  const DataTimes &times,
                                                  double          &net_flux)
  {
    // (17c)
    Update update;
    update.scale      = -rate;
    update.times_mass = true;
    flow.divergence(pressure_rhs, new_velocity, new_time, update);
    poisson.add_boundary_data(pressure_rhs, times);
    if (poisson.is_singular())
      {
        // The moments with the constant 1, of which each element has the same coefficient.
        double square_of_one = 0.;
        for (unsigned int i = 0; i < flow.n_parts(); ++i)
          {
            const auto &reference = flow.part(i).pressure_space().reference;
            square_of_one += block_of(pressure_rhs, i).size() / reference.n_modes *
                             reference.reference_cell.volume();
          }
        net_flux = std::sqrt(square_of_one) * poisson.remove_null_space(pressure_rhs) / rate;
      }
    known_solutions->guess(pressure_change, pressure_rhs);
    const SolveReport report =
      solve(poisson, pressure_change, pressure_rhs, multigrid, data.pressure_solver);
    known_solutions->add(pressure_change, poisson);
    return report;
  }

  template <int dim, typename Shapes>
  SolveReport
  IncompressibleFlow<dim, Shapes>::solve_stabilization(const double dt)
  {
    stabilization.set_penalties(new_velocity, dt);
    stabilization.mass_vmult(rhs, new_velocity);
    stabilization_changes.guess(new_velocity, time(), dt);
    const SolveReport report =
      solve(stabilization, new_velocity, rhs, inverse_mass, data.stabilization_solver);
    stabilization_changes.add(new_velocity);
    return report;
  }

  template class IncompressibleFlow<2>;
  template class IncompressibleFlow<3>;
  template class IncompressibleFlow<2, FlowOnMixedShapes<2>>;
} // namespace Saltus
