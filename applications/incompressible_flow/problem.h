// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_problem_h
#define applications_incompressible_flow_problem_h

#include <saltus/fe/dg_element.h>
#include <saltus/io/flow/flow_output.h>
#include <saltus/io/flow/flow_scheme.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/solvers/flow/flow_step_size.h>

#include "../common/suspect_penalty.h"
#include "../common/time_run.h"
#include "flow_memory.h"
#include "parameters.h"
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <type_traits>

namespace Saltus::FlowProgram
{
  /// An incompressible flow on one mesh.
  /// @tparam Flow IncompressibleFlow, or MixedIncompressibleFlow where shapes are mixed
  template <int dim, typename Flow>
  class Problem : public TimeProblem<dim, typename Flow::VectorType>
  {
  public:
    using FlowData   = typename Flow::AdditionalData;
    using VectorType = typename Flow::VectorType;

    using typename TimeProblem<dim, VectorType>::AdaptedVectors;

    static constexpr bool is_mixed = std::is_same_v<VectorType, BlockVector<double>>;

    /// @param parameters,functions,cycle are not copied
    Problem(const Parameters         &parameters,
            const FlowFunctions<dim> &functions,
            const FlowData           &data,
            const RunCycle<dim>      &cycle)
      : parameters(parameters)
      , functions(functions)
      , cycle(cycle)
      , of_velocity(cycle.triangulation)
      , of_pressure(cycle.triangulation)
      , of_fields(cycle.triangulation)
      , step_size{parameters.time.max_dt,
                  parameters.time.cfl,
                  parameters.time.order,
                  !parameters.time.begins_with_exact_solution}
    {
      distribute(of_velocity, parameters.discretization.degree, dim);
      distribute(of_pressure, parameters.discretization.pressure_degree(), 1);
      distribute(of_fields, parameters.discretization.degree, FlowFields<dim>::n_components);
      cycle.times.end("spaces");
      const auto &meshes = cycle.template as<typename Flow::Meshes>();
      suspect_penalty(data.penalty_factor, [&]() {
        flow.reinit(
          meshes, of_velocity, of_pressure, functions.boundary_conditions(), cycle.device, data);
      });
      fields.emplace(meshes, of_fields, cycle.device);
      field_values = fields->make_vector();
    }

    dealii::types::global_dof_index
    n_dofs() const override
    {
      return of_velocity.n_dofs() + of_pressure.n_dofs();
    }

    void
    summarize(RunSummary &summary) const override
    {
      const auto        &discretization = parameters.discretization;
      const unsigned int of_pressure    = discretization.pressure_degree();
      add_elements(summary, cycle.meshes);
      summary.add("degree",
                  std::to_string(discretization.degree) + " of velocity, " +
                    std::to_string(of_pressure) + " of pressure",
                  std::vector<unsigned int>{discretization.degree, of_pressure});
    }

    SolutionSpace<dim>
    space() const override
    {
      const double                                viscosity = parameters.equation.viscosity;
      std::vector<typename FlowScheme<dim>::Part> parts;
      for (unsigned int i = 0; i < flow.operators().n_parts(); ++i)
        parts.push_back({flow.viscous_component(i), block_of(field_values, i)});
      return {cycle.mapping,
              of_fields,
              flow_quantities<dim>(),
              std::make_shared<FlowScheme<dim>>(parts, functions.boundary_conditions(), viscosity)};
    }

    const VectorType &
    coefficients() override
    {
      if (!has_field_values)
        fields->evaluate(field_values, flow.velocity(), flow.pressure());
      has_field_values = true;
      return field_values;
    }

    void
    copy_to(SolutionVector &to, const VectorType &coefficients) const override
    {
      fields->copy_to(to, coefficients);
    }

    std::vector<std::string>
    columns() const override
    {
      return {"time",
              "step size",
              "step",
              "CFL number",
              "velocity iterations",
              "pressure iterations",
              "kinetic energy",
              "enstrophy",
              "divergence norm",
              "momentum residual"};
    }

    std::vector<double>
    row(const TimeState &time) override
    {
      const FlowIntegrals integrals = fields->integrals(coefficients());
      return {time.time,
              time.dt,
              static_cast<double>(time.n_steps),
              report.cfl,
              static_cast<double>(report.velocity.iterations),
              static_cast<double>(report.pressure.iterations),
              integrals.kinetic_energy,
              integrals.enstrophy,
              integrals.divergence_norm,
              time.n_steps == 0 ? 0. : flow.momentum_residual(report.momentum_rate).norm()};
    }

    bool
    start(const std::function<bool()> & /*stop*/) override
    {
      std::vector<SolveReport> projections;
      const auto               project = [&]() {
        if (parameters.time.is_projected)
          projections.push_back(flow.project_to_divergence_free());
      };
      if (parameters.time.begins_with_exact_solution)
        for (unsigned int i = parameters.time.order; i-- > 0;)
          {
            flow.set_state(i == 0 ? 0. : -(i * parameters.time.max_dt),
                           functions.exact_velocity(),
                           functions.exact_pressure());
            project();
          }
      else
        {
          flow.set_state(0., functions.initial_velocity, functions.initial_pressure);
          project();
          if (parameters.time.is_projected && functions.initial_pressure.empty())
            flow.compute_pressure();
        }
      if (!projections.empty())
        print_projections(projections);
      return true;
    }

    void
    save(Checkpoint &checkpoint) const override
    {
      FlowProgram::save(checkpoint, cycle.elements, flow);
      save_numbers(checkpoint);
    }

    void
    restore(const Checkpoint &checkpoint) override
    {
      FlowProgram::restore(checkpoint, cycle.elements, flow);
      restore_numbers(checkpoint);
    }

    void
    note_numbers(Checkpoint &noted) const override
    {
      save_numbers(noted);
      std::vector<double> times;
      for (const auto &state : flow.memory().states)
        times.push_back(state.time);
      noted.set_array("times", times.data(), times.size());
      const double totals[] = {n_iterations_of_velocity,
                               n_iterations_of_pressure,
                               static_cast<double>(n_steps_of_run),
                               largest_net_flux};
      noted.set_array("totals", totals, 4);
    }

    const typename AdaptedVectors::value_type &
    solution_to_adapt() const override
    {
      if constexpr (!is_mixed)
        return flow.velocity();
      AssertThrow(false, dealii::ExcInternalError());
    }

    /// Velocities and pressures of all times that steps need, the last one first.
    AdaptedVectors
    release_vectors() override
    {
      AdaptedVectors result;
      if constexpr (!is_mixed)
        for (auto &state : flow.memory().states)
          {
            result.push_back(std::move(state.velocity));
            result.push_back(std::move(state.pressure));
          }
      return result;
    }

    /// Guesses for linear systems begin anew.
    void
    continue_with(const Checkpoint            &noted,
                  const AdaptedVectors        &before,
                  const AdaptionTransfer<dim> &transfer) override
    {
      restore_numbers(noted);
      const std::vector<double> totals = noted.get_array<double>("totals", 4);
      n_iterations_of_velocity         = totals[0];
      n_iterations_of_pressure         = totals[1];
      n_steps_of_run                   = std::lround(totals[2]);
      largest_net_flux                 = totals[3];
      const std::vector<double> times  = noted.get_array<double>("times");
      typename Flow::Memory     memory;
      for (unsigned int i = 0; i < times.size(); ++i)
        {
          typename Flow::State state{times[i],
                                     flow.operators().make_velocity(),
                                     flow.operators().make_pressure()};
          if constexpr (!is_mixed)
            {
              transfer.run(state.velocity, before[2 * i]);
              transfer.run(state.pressure, before[2 * i + 1]);
            }
          memory.states.push_back(std::move(state));
        }
      flow.set_memory(memory);
    }

    /// One step.
    void
    advance(TimeState &time, const long /*n*/, const std::function<bool()> & /*stop*/) override
    {
      const double rate = flow.convection_rate() / std::max(1U, parameters.time.n_subcycles);
      time.dt           = step_size.next(time.n_steps, time.dt, rate, time.end - time.time);
      check_length(time);
      const bool look = parameters.time.is_looked_at(time.n_steps + 1);
      if (look)
        previous = flow.velocity();
      report           = suspect_penalty(parameters.discretization.penalty_factor,
                               [&]() { return flow.step(time.dt); });
      has_field_values = false;
      time.time        = flow.time();
      time.n_steps += 1;
      if (look)
        change = flow.velocity().max_difference(previous);
      count();
    }

    bool
    is_steady() const override
    {
      return parameters.time.is_steady(change);
    }

    std::string
    remark() const override
    {
      std::ostringstream text;
      text.precision(3);
      text << "CFL " << report.cfl << ", iterations " << report.velocity.iterations << " + "
           << report.pressure.iterations;
      return text.str();
    }

    void
    print_summary(const TimeState &time) override
    {
      const FlowIntegrals integrals = fields->integrals(coefficients());
      std::cout << "  " << time.n_steps << " steps to time " << time.time << ", kinetic energy "
                << integrals.kinetic_energy << ", enstrophy " << integrals.enstrophy
                << ", divergence norm " << integrals.divergence_norm << std::endl;
      if (n_steps_of_run > 0)
        std::cout << "  Mean iterations: velocity " << n_iterations_of_velocity / n_steps_of_run
                  << ", pressure " << n_iterations_of_pressure / n_steps_of_run << std::endl;
      if (n_steps_of_run > 0 && !flow.determines_pressure() && is_velocity_given())
        std::cout << "  The pressure is determined up to a constant: a uniform source balances the "
                     "given velocities' net flux out of the domain, "
                  << largest_net_flux << std::endl;
    }

    std::vector<std::pair<std::string, double>>
    results() override
    {
      if (n_steps_of_run == 0)
        return {};
      return {{"mean velocity iterations", n_iterations_of_velocity / n_steps_of_run},
              {"mean pressure iterations", n_iterations_of_pressure / n_steps_of_run}};
    }

    std::vector<double>
    errors(const Expression &exact_solution, const double time) override
    {
      const SolutionVector solution = solution_vector(of_fields, *this, coefficients());
      const auto           error    = [&](const ErrorComponents &components) {
        return l2_error(cycle.mapping, of_fields, solution, exact_solution, time, components);
      };
      return {error({0, dim}), error({dim, 1, !flow.determines_pressure()})};
    }

  private:
    static void
    print_projections(const std::vector<SolveReport> &projections)
    {
      double seconds = 0.;
      std::cout << "  Initial velocity projected:";
      for (const SolveReport &projection : projections)
        {
          std::cout << (&projection == &projections.front() ? " " : ", ") << projection.iterations;
          seconds += projection.seconds;
        }
      std::cout << " iterations, " << seconds << " s" << std::endl;
    }

    void
    distribute(dealii::DoFHandler<dim> &dof_handler,
               const unsigned int       degree,
               const unsigned int       n_components) const
    {
      distribute_dofs(dof_handler,
                      make_elements<dim>(parameters.mesh.template shapes<dim>(),
                                         degree,
                                         n_components));
    }

    void
    save_numbers(Checkpoint &checkpoint) const
    {
      checkpoint.set("change", change);
      checkpoint.set("CFL number", report.cfl);
      checkpoint.set_array("momentum rate", report.momentum_rate.begin_raw(), 3);
      checkpoint.set("velocity iterations", std::int64_t{report.velocity.iterations});
      checkpoint.set("pressure iterations", std::int64_t{report.pressure.iterations});
    }

    void
    restore_numbers(const Checkpoint &checkpoint)
    {
      change          = checkpoint.get_double("change");
      report.cfl      = checkpoint.get_double("CFL number");
      const auto rate = checkpoint.get_array<double>("momentum rate", 3);
      std::copy(rate.begin(), rate.end(), report.momentum_rate.begin_raw());
      report.velocity.iterations = checkpoint.get_integer("velocity iterations");
      report.pressure.iterations = checkpoint.get_integer("pressure iterations");
    }

    bool
    is_velocity_given() const
    {
      const auto &conditions = functions.boundary_conditions().conditions();
      return std::any_of(conditions.begin(), conditions.end(), [](const auto &of_id) {
        return of_id.second.kind == FlowBoundary::velocity;
      });
    }

    /// @throws dealii::ExcMessage for steps that become short because the velocity grows
    void
    check_length(const TimeState &time) const
    {
      std::ostringstream text;
      text << "Time/CFL number = " << step_size.cfl << " asks for steps of length " << time.dt
           << " at time " << time.time
           << ", so much has the velocity grown: earlier steps were too "
           << "long to be stable. Take a smaller CFL number or a smaller Time/Step size.";
      if (step_size.cfl > 0. && !(time.dt > 1e-9 * step_size.max_dt))
        throw dealii::ExcMessage(text.str() + flow.advice());
    }

    /// The last step.
    void
    count()
    {
      n_iterations_of_velocity += report.velocity.iterations;
      n_iterations_of_pressure += report.pressure.iterations;
      n_steps_of_run += 1;
      largest_net_flux = std::max(largest_net_flux, report.net_flux);
      cycle.times.take("convection", report.convection_time);
      cycle.times.take("viscous step", report.velocity_time);
      cycle.times.take("pressure", report.pressure_time);
      cycle.times.take("update", report.update_time);
      cycle.times.take("penalties", report.stabilization_time);
    }

    const Parameters         &parameters;
    const FlowFunctions<dim> &functions;
    const RunCycle<dim>      &cycle;

    dealii::DoFHandler<dim>              of_velocity, of_pressure, of_fields;
    const FlowStepSize                   step_size;
    Flow                                 flow;
    std::optional<typename Flow::Fields> fields;
    VectorType                           field_values;             ///< see coefficients()
    bool                                 has_field_values = false; ///< of the present state
    VectorType                           previous; ///< velocity before a step that is looked at
    /// Largest change of a coefficient of the velocity in the last step that was looked at.
    double change = std::numeric_limits<double>::infinity();
    /// Of the last step; if that was before a restart, only what row() tells of it.
    FlowStepReport report;
    double         n_iterations_of_velocity = 0, n_iterations_of_pressure = 0;
    long           n_steps_of_run   = 0;
    double         largest_net_flux = 0.; ///< of these steps
  };


  template <typename Flow, int dim>
  typename Flow::AdditionalData
  flow_data(const Parameters &parameters, const FlowFunctions<dim> &functions)
  {
    const TimeParameters           &time           = parameters.time;
    const DiscretizationParameters &discretization = parameters.discretization;
    const SolverParameters         &solver         = parameters.solver;

    typename Flow::AdditionalData data;
    data.viscosity          = parameters.equation.viscosity;
    data.body_force         = functions.body_force;
    data.order              = time.order;
    data.pressure_order     = time.pressure_order;
    data.n_subcycles        = time.n_subcycles;
    data.subcycle_cfl       = time.subcycle_cfl;
    data.penalty_factor     = discretization.penalty_factor;
    data.divergence_penalty = discretization.divergence_penalty;
    data.continuity_penalty = discretization.continuity_penalty;
    data.operators = {discretization.convection_degree, discretization.backflow_stabilization};
    data.velocity_solver         = {solver.velocity_tolerance, solver.max_iterations};
    data.pressure_solver         = {solver.pressure_tolerance, solver.max_iterations};
    data.stabilization_solver    = {solver.stabilization_tolerance, solver.max_iterations};
    data.n_known_solutions       = solver.n_known_solutions;
    data.krylov_method           = solver.method;
    data.velocity_preconditioner = solver.preconditioner;
    return data;
  }


  /// The solutions of as many times as the order asks for, the next one, its right-hand side and
  /// what conjugate gradients need.
  template <int dim>
  ElementNeeds
  element_needs(const Parameters &parameters)
  {
    const auto n_modes = [&](const unsigned int degree) {
      return dg_element<dim>(parameters.mesh.template shapes<dim>().back(), degree)
        ->n_dofs_per_cell();
    };
    return {{dim * n_modes(parameters.discretization.degree),
             n_modes(parameters.discretization.pressure_degree())},
            " of velocity and pressure",
            parameters.time.order + 5,
            sizeof(double)};
  }


  template <int dim, typename Flow>
  void
  run_flow(const Parameters &parameters, const RunSettings &settings)
  {
    const FlowFunctions<dim> functions(parameters.functions);
    const auto               data = flow_data<Flow>(parameters, functions);
    const RunEquation        equation{"incompressible flow in " + std::to_string(dim) + "D",
                               dim,
                               flow_quantities<dim>().identifiers(),
                               {"L2 error of velocity", "of pressure"},
                               element_needs<dim>(parameters)};
    TimeRun<dim, typename Flow::VectorType>(
      parameters, settings, functions, equation, parameters.adaptivity)
      .run([&](const RunCycle<dim> &cycle) {
        return std::make_unique<Problem<dim, Flow>>(parameters, functions, data, cycle);
      });
  }


  template <int dim>
  void
  run(const Parameters &parameters, const RunSettings &settings)
  {
    if constexpr (dim == 2)
      if (parameters.mesh.is_mixed())
        return run_flow<dim, MixedIncompressibleFlow<dim>>(parameters, settings);
    run_flow<dim, IncompressibleFlow<dim>>(parameters, settings);
  }
} // namespace Saltus::FlowProgram

#endif
