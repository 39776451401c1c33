// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_problem_h
#define applications_conservation_law_problem_h

#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/fe/basis.h>
#include <saltus/fe/dg_element.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/results/boundary_states.h>
#include <saltus/io/results/state_output.h>
#include <saltus/operators/blocks/mode_transfer.h>
#include <saltus/operators/conservation_law/default_cfl.h>
#include <saltus/operators/conservation_law/mixed_conservation_law_operator.h>
#include <saltus/solvers/time/time_integrator.h>

#include "../common/time_run.h"
#include "parameters.h"
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <type_traits>
#include <vector>

namespace Saltus::ConservationLaw
{
  /// A conservation law on one mesh.
  /// @tparam Operator ConservationLawOperator, or MixedConservationLawOperator where shapes are
  /// mixed
  template <int dim, typename Law, typename Operator>
  class Problem : public TimeProblem<dim, typename Operator::VectorType>
  {
  public:
    using Number       = typename Operator::value_type;
    using VectorType   = typename Operator::VectorType;
    using Clock        = typename Operator::Clock;
    using OperatorData = typename Operator::AdditionalData;

    using typename TimeProblem<dim, VectorType>::AdaptedVectors;

    static constexpr bool is_mixed =
      std::is_same_v<Operator, MixedConservationLawOperator<dim, Law, Number>>;

    /// @param parameters,functions,data,cycle are not copied
    Problem(const Parameters          &parameters,
            const Law                 &law,
            const FieldFunctions<dim> &functions,
            const OperatorData        &data,
            const RunCycle<dim>       &cycle)
      : parameters(parameters)
      , law(law)
      , functions(functions)
      , data(data)
      , cycle(cycle)
      , dof_handler(cycle.triangulation)
      , integrator(op, clock, RungeKutta(parameters.time.scheme), parameters.discretization.limiter)
    {
      distribute_dofs(dof_handler, cycle.finite_elements);
      cycle.times.end("spaces");
      op.reinit(cycle.template as<typename Operator::Meshes>(),
                dof_handler,
                law,
                functions.boundary_conditions(),
                cycle.device,
                data);
      op.initialize_vector(u);
      if (parameters.discretization.limiter == Limiter::barth_jespersen)
        op.limit(u, Limiter::barth_jespersen); // whether it can, before the first step
      clock = op.make_clock(initial_time());
    }

    dealii::types::global_dof_index
    n_dofs() const override
    {
      return dof_handler.n_dofs();
    }

    void
    summarize(RunSummary &summary) const override
    {
      add_elements(summary, cycle.meshes);
      add_degrees(summary, parameters.discretization.degree, parameters.discretization.degree);
      const double       cfl = cfl_number();
      std::ostringstream steps;
      steps << parameters.time.scheme;
      if (cfl > 0.)
        steps << ", CFL number " << cfl;
      Json value;
      value["scheme"]     = parameters.time.scheme;
      value["CFL number"] = cfl;
      summary.add("steps", steps.str(), value);
    }

    SolutionSpace<dim>
    space() const override
    {
      return {cycle.mapping,
              dof_handler,
              state_quantities(law, inadmissible),
              boundary_scheme<dim>(law, op, u)};
    }

    const VectorType &
    coefficients() override
    {
      return u;
    }

    void
    copy_to(SolutionVector &to, const VectorType &coefficients) const override
    {
      op.copy_to(to, coefficients);
    }

    std::vector<OptionalCellField>
    optional_cell_fields() override
    {
      if (!(data.artificial_viscosity.strength > 0.))
        return {};
      return {{"artificial_viscosity", [this]() {
                 const auto          of_elements = op.artificial_viscosities(clock, u);
                 const auto          cells       = cells_of(cycle.meshes);
                 std::vector<double> by_index(cycle.triangulation.n_active_cells()), result;
                 for (std::size_t i = 0; i < cells.size(); ++i)
                   by_index[cells[i]->active_cell_index()] = of_elements[i];
                 for (const auto &cell : cells_in_order(cycle.triangulation))
                   result.push_back(by_index[cell->active_cell_index()]);
                 return result;
               }}};
    }

    std::vector<std::string>
    columns() const override
    {
      const auto names = state_quantities(law).identifiers();
      return series_columns({names.begin(), names.begin() + Law::n_components}, !data.local_steps);
    }

    std::vector<double>
    row(const TimeState &time) override
    {
      // With steps of its own for each element, no flux is integrated over time.
      return series_row(time,
                        op.statistics(u),
                        data.local_steps ? std::vector<double>() : clock.outflow());
    }

    TimeState
    initial_time() const override
    {
      TimeState time;
      time.cfl    = cfl_number();
      time.max_dt = parameters.time.max_dt;
      return time;
    }

    bool
    start(const std::function<bool()> &stop) override
    {
      return start_with(parameters.time.start_degrees, stop);
    }

    void
    start_before_adaption() override
    {
      start_with({}, []() { return false; });
    }

    void
    save(Checkpoint &checkpoint) const override
    {
      set_vector(checkpoint, "solution", cycle.elements, u);
      set_by_boundary_face(checkpoint, "outflow", cycle.meshes, clock.outflow_by_face());
      save_numbers(checkpoint);
    }

    void
    restore(const Checkpoint &checkpoint) override
    {
      get_vector(checkpoint, "solution", cycle.elements, u);
      clock.set_outflow_by_face(
        get_by_boundary_face(checkpoint, "outflow", cycle.meshes, Law::n_components));
      restore_numbers(checkpoint);
    }

    void
    note_numbers(Checkpoint &noted) const override
    {
      save_numbers(noted);
      const std::vector<double> outflow = clock.outflow();
      noted.set_array("outflow of all faces", outflow.data(), outflow.size());
    }

    const typename AdaptedVectors::value_type &
    solution_to_adapt() const override
    {
      if constexpr (!is_mixed)
        return u;
      AssertThrow(false, dealii::ExcInternalError());
    }

    /// With positive means in the children of cells, too, where the solution is limited.
    AdaptedVectors
    release_vectors() override
    {
      note_results();
      AdaptedVectors result;
      if constexpr (!is_mixed)
        {
          result.push_back(std::move(u));
          if (parameters.discretization.limiter == Limiter::positivity)
            op.limit_for_children(result[0]);
        }
      return result;
    }

    /// What has left through the faces of the old mesh counts as that of the first face.
    void
    continue_with(const Checkpoint            &noted,
                  const AdaptedVectors        &before,
                  const AdaptionTransfer<dim> &transfer) override
    {
      if constexpr (!is_mixed)
        transfer.run(u, before[0]);
      op.limit(u, parameters.discretization.limiter);
      const unsigned int n_faces = cycle.mesh()->connectivity.boundary_faces.size();
      const double       rank    = this_rank(cycle.elements.communicator);
      const double       first =
        -op.largest_of_ranks(n_faces > 0 ? -rank : std::numeric_limits<double>::lowest());
      std::vector<double> outflow(n_faces * Law::n_components);
      if (n_faces > 0 && rank == first)
        {
          const auto all = noted.get_array<double>("outflow of all faces", Law::n_components);
          std::copy(all.begin(), all.end(), outflow.begin());
        }
      clock.set_outflow_by_face(outflow);
      restore_numbers(noted);
    }

    void
    advance(TimeState &time, const long n, const std::function<bool()> &stop) override
    {
      note_results();
      note_state(time);
      try
        {
          if (time.n_steps == 0)
            look_at_residual(time);
          do_steps(time, n, stop);
        }
      catch (const InadmissibleState &failure)
        {
          const bool is_initial = time.n_steps == 0 && failure.time == time.time;
          find_last_state(failure.time);
          time = noted_time;
          u.swap(noted);
          throw InadmissibleState(is_initial ? of_initial_state(failure) : of_steps(failure),
                                  failure.time);
        }
    }

    bool
    is_steady() const override
    {
      return parameters.time.is_steady(change) ||
             residual < parameters.time.residual_tolerance * initial_residual;
    }

    std::string
    remark() const override
    {
      if (parameters.time.residual_tolerance == 0.)
        return {};
      std::ostringstream text;
      text.precision(3);
      text << "residual " << residual / initial_residual;
      return text.str();
    }

    void
    print_summary(const TimeState &time) override
    {
      std::cout << "  " << time.n_steps << " steps to time " << time.time;
      if (is_balanced())
        std::cout << ", balance of " << Law::conserved_names[0] << ": " << balance();
      std::cout << further_remark() << std::endl;
      note_results();
      say(note_of_outflows());
    }

    std::vector<std::pair<std::string, double>>
    results() override
    {
      std::vector<std::pair<std::string, double>> result;
      if (is_balanced())
        result.emplace_back(std::string("balance of ") + Law::conserved_names[0], balance());
      if (parameters.time.residual_tolerance > 0.)
        result.emplace_back("residual", residual / initial_residual);
      return result;
    }

    std::vector<double>
    errors(const Expression &exact_solution, const double time) override
    {
      return {l2_error(
        cycle.mapping, dof_handler, solution_vector(dof_handler, *this, u), exact_solution, time)};
    }

  private:
    /// The CFL number, by default the smallest one of scheme, degree and the shapes of the cells.
    double
    cfl_number() const
    {
      if (!parameters.time.cfl.empty())
        return parameters.time.cfl[0];
      double smallest = std::numeric_limits<double>::max();
      for (const dealii::ReferenceCell &shape : parameters.mesh.template shapes<dim>())
        smallest =
          std::min(smallest,
                   default_cfl(parameters.time.scheme, shape, parameters.discretization.degree));
      return smallest;
    }

    /// remark() after a comma, if there is one.
    std::string
    further_remark() const
    {
      const std::string text = remark();
      return text.empty() ? text : ", " + text;
    }

    /// @param degrees lower ones to start with, rising
    /// @return false if @p stop has ended the steps with these
    bool
    start_with(const std::vector<unsigned int> &degrees, const std::function<bool()> &stop)
    {
      check_boundary_states(
        law, functions.boundary_conditions(), cycle.mapping, cycle.triangulation, TimeState());
      if (!set_initial_state(degrees, stop))
        return false;
      // A shock in the initial state is one like any other.
      op.limit(u, parameters.discretization.limiter);
      initial_integrals = op.integrals(u);
      balance_unit      = initial_unit(op.statistics(u));
      return true;
    }

    /// Whether what leaves through the boundary is all that changes integrals.
    bool
    is_balanced() const
    {
      return !data.local_steps && data.source.empty();
    }

    /// What the first component has gained from nowhere, over its balance_unit.
    double
    balance()
    {
      return (op.integrals(u)[0] + clock.outflow()[0] - initial_integrals[0]) / balance_unit;
    }

    void
    save_numbers(Checkpoint &checkpoint) const
    {
      checkpoint.set_array("initial integrals", initial_integrals.data(), initial_integrals.size());
      checkpoint.set("balance unit", balance_unit);
      checkpoint.set("change", change);
      checkpoint.set("residual", residual);
      checkpoint.set("initial residual", initial_residual);
    }

    void
    restore_numbers(const Checkpoint &checkpoint)
    {
      initial_integrals = checkpoint.get_array<double>("initial integrals", Law::n_components);
      checkpoint.require(std::all_of(initial_integrals.begin(),
                                     initial_integrals.end(),
                                     [](const double x) { return std::isfinite(x); }),
                         "initial integrals",
                         "has infinite values or NaNs");
      balance_unit     = checkpoint.get_double("balance unit", std::numeric_limits<double>::min());
      change           = checkpoint.get_double("change");
      residual         = checkpoint.get_double("residual");
      initial_residual = checkpoint.get_double("initial residual");
    }

    /// The initial state, or what has become of it with lower degrees.
    /// @return false if @p stop has ended the steps with these
    bool
    set_initial_state(const std::vector<unsigned int> &degrees, const std::function<bool()> &stop)
    {
      VectorType   of_lower;
      unsigned int of_lower_degree = 0;
      for (const unsigned int degree : degrees)
        {
          const auto elements =
            make_elements<dim>(parameters.mesh.template shapes<dim>(), degree, Law::n_components);
          const RunCycle<dim>      on{cycle.number,
                                 cycle.device,
                                 cycle.mapping,
                                 cycle.triangulation,
                                 elements,
                                 cycle.meshes,
                                 cycle.elements,
                                 cycle.times};
          const OperatorData       of_operator = data_for_lower(degree);
          std::unique_ptr<Problem> lower;
          with_entry("Time/Start degrees = " + std::to_string(degree), [&]() {
            lower = std::make_unique<Problem>(parameters, law, functions, of_operator, on);
          });
          lower->begin_with(of_lower, of_lower_degree);
          if (!lower->start_up(degree, stop))
            return false;
          of_lower.swap(lower->u);
          of_lower_degree = degree;
        }
      begin_with(of_lower, of_lower_degree);
      return true;
    }

    /// With rules that keep a constant state, too, on triangles and tetrahedra whose maps have a
    /// degree for which the default ones are too weak, see metric_form().
    OperatorData
    data_for_lower(const unsigned int degree) const
    {
      OperatorData       result     = data;
      const unsigned int map_degree = cycle.mesh()->geometry.map_degree;
      if (is_mixed || !cycle.mesh()->shape.is_simplex() || map_degree <= degree + 2)
        return result;
      const unsigned int increase = (dim - 1) * (map_degree - 1) - (degree + 1);
      if (increase > result.quadrature_increase)
        {
          say_once("degree " + std::to_string(degree) +
                   " has Quadrature increase = " + std::to_string(increase) +
                   ", which maps of degree " + std::to_string(map_degree) + " need");
          result.quadrature_increase = increase;
        }
      return result;
    }

    /// Residuals are relative to that of the initial state, also where lower degrees come first. If
    /// the first that is looked at is 1,000 times as large, they are relative to it.
    /// @param of_lower a state of the lower degree @p degree; without modes: none
    void
    begin_with(const VectorType &of_lower, const unsigned int degree)
    {
      op.project(functions.initial_state(), u);
      if (parameters.time.residual_tolerance > 0.)
        {
          // Of its own: with lower degrees, what is wrong with this state does not matter.
          Clock of_initial_state = op.make_clock(initial_time());
          initial_residual       = residual_of(u, of_initial_state);
        }
      if (of_lower.size() > 0)
        {
          op.initialize_vector(u);
          const auto embed = [&](const auto &part, const auto &from, auto &to) {
            const auto &reference = part.element_space().reference;
            ModeTransfer<Number>(
              cycle.device, reference.basis.embedding(Basis<dim>(reference.reference_cell, degree)))
              .add_embedded(to, from);
          };
          if constexpr (is_mixed)
            for (unsigned int i = 0; i < u.n_blocks(); ++i)
              embed(op.part(i), of_lower.block(i), u.block(i));
          else
            embed(op, of_lower, u);
        }
    }

    /// Steps with a degree to start with.
    /// @return false if @p stop has ended them
    bool
    start_up(const unsigned int degree, const std::function<bool()> &stop)
    {
      TimeState  time    = initial_time();
      const long n_steps = parameters.time.start_steps;
      Progress   progress(0, time.time, time.end, n_steps, parameters.output.progress);
      while (time.n_steps < n_steps && !is_steady() && !stop())
        {
          advance(time, n_steps - time.n_steps, stop);
          if (progress.due())
            progress.print(time.n_steps,
                           time.time,
                           time.dt,
                           "degree " + std::to_string(degree) + further_remark());
        }
      progress.finish(time.n_steps, time.time, time.dt);
      std::cout << "Start with degree " << degree << ": " << time.n_steps << " steps to time "
                << time.time << further_remark() << std::endl;
      return !stop();
    }

    /// To what the balance of the first component is relative: its integral, or where that is zero
    /// but for rounding \f$ \|u\|_{L^2} |\Omega|^{1/2} \f$, which bounds it.
    double
    initial_unit(const StateStatistics &initial) const
    {
      double volume = 0.;
      for (const auto &cell : cycle.triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          volume += cell->measure();
      volume = dealii::Utilities::MPI::sum(volume, cycle.triangulation.get_communicator());

      const double integral = std::abs(initial.integrals[0]);
      const double bound    = initial.norms[0] * std::sqrt(volume);
      const double rounding = 100. * std::numeric_limits<Number>::epsilon();
      if (integral > rounding * bound)
        return integral;
      return bound > 0. ? bound : 1.;
    }


    /// What can be shown if the next steps fail.
    void
    note_state(const TimeState &time)
    {
      noted      = u;
      noted_time = time;
    }

    /// Repeat the steps that failed at @p time one by one, to note the last admissible state.
    void
    find_last_state(const double time)
    {
      TimeState now = noted_time;
      clock.set_state(now);
      u = noted;
      op.look_at_all_points();
      for (double failure = TimeState::unlimited;
           failure == TimeState::unlimited && now.time <= time;)
        {
          const TimeState before = now;
          previous               = u;
          try
            {
              integrator.advance(u, 1);
              now = clock.state();
            }
          catch (const InadmissibleState &again)
            {
              failure = again.time;
            }
          if (failure > before.time) // else it was the state before that is not admissible
            {
              noted.swap(previous);
              noted_time = before;
            }
        }
    }

    /// @name Messages
    /// @{
    /// Print a note once, on the first rank.
    void
    say(const std::string &note) const
    {
      if (!note.empty() && this_rank(cycle.elements.communicator) == 0)
        say_once(note);
    }

    /// Report an inadmissible state in tables or graphical output, once in a run. Collective.
    void
    note_results() const
    {
      static bool is_noted = false;
      if (is_noted)
        return;
      const std::string state = inadmissible->text(law, cycle.elements.communicator);
      is_noted                = !state.empty();
      if (is_noted)
        say("tables or graphical output contain an inadmissible state of " +
            std::string(Law::name) + ':' + state +
            ". A run checks states at quadrature points, between which polynomials overshoot. "
            "Refine the mesh" +
            hint_at_limiter() + '.');
    }

    std::string
    note_of_outflows() const
    {
      std::string text = Saltus::note_of_outflows(law,
                                                  functions.boundary_conditions(),
                                                  this->space(),
                                                  solution_vector(dof_handler, *this, u));
      return text.empty() ? text : text.substr(1);
    }

    std::string
    of_initial_state(const InadmissibleState &failure) const
    {
      return "Functions/Initial state: " + error_message(failure) +
             (parameters.discretization.degree > 0
                ? " Of a gas, density and pressure must be positive. Where a state jumps, its "
                  "polynomials overshoot: use a finer mesh, a lower "
                  "degree, or spread the jump over an element" +
                    hint_at_limiter()
                : "") +
             '.';
    }

    std::string
    of_steps(const InadmissibleState &failure) const
    {
      std::ostringstream text;
      text << error_message(failure);
      if (const std::string outflows = note_of_outflows(); !outflows.empty())
        text << ' ' << outflows;
      if (cycle.finite_elements[0].degree == parameters.discretization.degree)
        text << " The last graphical output shows the last admissible state, at time "
             << noted_time.time << '.';
      else
        text << " These are the steps of Time/Start degrees = " << cycle.finite_elements[0].degree
             << ", which write no graphical output.";
      text << " Try a smaller " << (cfl_number() > 0. ? "Time/CFL number" : "Time/Step size")
           << ", a finer mesh"
           << (parameters.discretization.degree > 1
                 ? ", a larger Discretization/Artificial viscosity"
                 : "")
           << hint_at_limiter() << '.';
      return text.str();
    }

    /// If none is used.
    std::string
    hint_at_limiter() const
    {
      const DiscretizationParameters &discretization = parameters.discretization;
      if (discretization.limiter != Limiter::none || discretization.degree == 0)
        return {};
      return std::string(", or Discretization/Limiter = ") +
             (discretization.degree == 1 ? "Barth-Jespersen" : "positivity");
    }
    /// @}

    /// Every now and then a single one, to see how much it changes.
    void
    do_steps(TimeState &time, const long n_due, const std::function<bool()> &stop)
    {
      const long n =
        std::min(n_due, steps_to_multiple(time.n_steps, RunLimits::steady_interval, n_due));
      const long last = time.n_steps + n;
      const bool look = parameters.time.is_looked_at(last);

      clock.set_state(time);
      integrator.advance(u, look ? n - 1 : n, [&]() {
        note_state(clock.state());
        return stop();
      });
      time = clock.state();
      if (look && time.n_steps == last - 1 && time.time < time.end)
        {
          previous = u;
          integrator.advance(u, 1);
          time = clock.state();
          if (time.time < time.end) // a step that was cut shows little
            change = u.max_difference(previous);
        }
      if (time.n_steps % RunLimits::steady_interval == 0)
        look_at_residual(time);
    }

    /// If somebody wants to know.
    void
    look_at_residual(const TimeState &time)
    {
      if (parameters.time.residual_tolerance == 0.)
        return;
      clock.set_state(time);
      residual = residual_of(u, clock);
      // A uniform flow along walls has that of rounding at first: friction acts in the first steps.
      if (time.n_steps <= RunLimits::steady_interval && residual > 1000. * initial_residual)
        initial_residual = residual;
      op.check_states(clock);
    }

    /// The norm of the time derivative of the first component.
    double
    residual_of(const VectorType &state, Clock &at)
    {
      op.initialize_vector(previous);
      op.apply(at, state, previous);
      return op.statistics(previous).norms[0];
    }

    const Parameters          &parameters;
    const Law                  law;
    const FieldFunctions<dim> &functions;
    const OperatorData        &data;
    const RunCycle<dim>       &cycle;

    dealii::DoFHandler<dim>  dof_handler;
    Operator                 op;
    Clock                    clock;
    TimeIntegrator<Operator> integrator;
    /// Inadmissible states among those that results were computed from.
    const std::shared_ptr<InadmissibleResults<Law>> inadmissible =
      std::make_shared<InadmissibleResults<Law>>();
    VectorType          u;
    VectorType          previous; ///< before a step that is looked at
    VectorType          noted;    ///< see note_state()
    TimeState           noted_time;
    std::vector<double> initial_integrals;
    double              balance_unit = 1.; ///< see initial_unit()
    /// Largest change of a coefficient in the last step that was looked at.
    double change = std::numeric_limits<double>::infinity();
    /// Norms of the time derivative, the last that was looked at and that to which it is relative.
    double residual = std::numeric_limits<double>::infinity(), initial_residual = 1.;
  };


  template <int dim, typename Operator, typename Law>
  void
  run(const Parameters &parameters, const RunSettings &settings, const Law &law)
  {
    using ThisProblem      = Problem<dim, Law, Operator>;
    const std::string name = std::string(Law::name) + " in " + std::to_string(dim) + "D";
    const auto       &names =
      parameters.functions.primitive ? Law::primitive_names : Law::conserved_names;
    const DataSources sources{
      name,
      settings.parameter_file,
      Quantities{{names, names + Law::n_components}, Law::n_components, nullptr}.identifiers()};

    const FieldFunctions<dim>          functions(parameters.functions,
                                        Law::n_components,
                                        boundary_kinds<Law>(),
                                        sources);
    typename ThisProblem::OperatorData data;
    data.quadrature_increase  = parameters.discretization.quadrature_increase;
    data.artificial_viscosity = parameters.discretization.artificial_viscosity;
    data.local_steps          = parameters.time.local_steps;
    data.source               = functions.source();
    if (Law::n_fields > 0)
      data.fields = FieldFunction<dim>(
        functions.expression(parameters.equation.velocity, Law::n_fields, "Equation/Velocity"));

    const RunEquation equation{name,
                               Law::n_components,
                               state_quantities(law).identifiers(),
                               {std::string("L2 error of ") + Law::conserved_names[0]},
                               {{Law::n_components *
                                 dg_element<dim>(parameters.mesh.template shapes<dim>().back(),
                                                 parameters.discretization.degree)
                                   ->n_dofs_per_cell()},
                                "",
                                4, // the solution, a copy, and the states of two stages
                                sizeof(typename Operator::value_type)}};
    TimeRun<dim, typename Operator::VectorType>(
      parameters, settings, functions, equation, parameters.adaptivity)
      .run([&](const RunCycle<dim> &cycle) {
        return std::make_unique<ThisProblem>(parameters, law, functions, data, cycle);
      });
  }


  template <int dim, typename Number, typename Law>
  void
  run_on_shapes(const Parameters &parameters, const RunSettings &settings, const Law &law)
  {
    if constexpr (dim == 2)
      if (parameters.mesh.is_mixed())
        return run<dim, MixedConservationLawOperator<dim, Law, Number>>(parameters, settings, law);
    run<dim, ConservationLawOperator<dim, Law, Number>>(parameters, settings, law);
  }


  template <int dim, typename Law>
  void
  run_in_precision(const Parameters &parameters, const RunSettings &settings, const Law &law)
  {
    if (parameters.discretization.single_precision)
      run_on_shapes<dim, float>(parameters, settings, law);
    else
      run_on_shapes<dim, double>(parameters, settings, law);
  }
} // namespace Saltus::ConservationLaw

#endif
