// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The length of steps against its formula with deal.II's measures, also with states at points, and
// its bounds. No wave speed is lost which is not a number.
#include <deal.II/base/multithread_info.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/physics/advection.h>
#include <saltus/solvers/time/time_integrator.h>

#include <cmath>
#include <cstdlib>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity     = std::numeric_limits<double>::infinity();

  /// Calls @p body with 1, 2 and 5 threads.
  template <typename Body>
  void
  for_numbers_of_threads(const Body &body)
  {
    const char *const  set    = std::getenv("DEAL_II_NUM_THREADS");
    const std::string  before = set ? set : "";
    const unsigned int n      = MultithreadInfo::n_threads();
    unsetenv("DEAL_II_NUM_THREADS"); // it would be an upper bound
    for (const unsigned int n_threads : {1, 2, 5})
      {
        SCOPED_TRACE(std::to_string(n_threads) + " threads");
        MultithreadInfo::set_thread_limit(n_threads);
        ASSERT_EQ(MultithreadInfo::n_threads(), n_threads);
        body();
      }
    MultithreadInfo::set_thread_limit(n);
    if (set)
      setenv("DEAL_II_NUM_THREADS", before.c_str(), 1);
  }

  /// Constant in each element.
  template <int dim, typename Law>
  dealii::Vector<double>
  random_means(const Setting<dim, Law> &setting)
  {
    dealii::Vector<double> u = setting.random_state(0.1);
    for_entries(setting.dof_handler, [&](const auto i, const auto, const auto mode, const auto) {
      if (mode > 0)
        u(i) = 0.;
    });
    return u;
  }

  /// \f$ 2 d |K| / \sum_F |F| \lambda_F \f$ of every cell by deal.II.
  template <int dim, typename Law>
  std::vector<double>
  crossing_times(const Setting<dim, Law> &setting, const dealii::Vector<double> &u)
  {
    const auto         &fe   = setting.dof_handler.get_fe();
    const double        phi0 = std::sqrt(dim == 2 ? 2. : 6.);
    FEFaceValues<dim>   faces(setting.mapping,
                            fe,
                            simplex_quadrature<dim - 1>(2 * fe.degree + 1),
                            update_normal_vectors | update_quadrature_points);
    const Velocity<dim> velocity;
    std::vector<double> result;
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
        cell->get_dof_indices(indices);
        Array<double, Law::n_components> mean;
        for (unsigned int i = 0; i < indices.size(); ++i)
          if (const auto [c, mode] = fe.system_to_component_index(i); mode == 0)
            mean[c] = phi0 * u(indices[i]);
        double sum = 0.;
        for (const unsigned int f : cell->face_indices())
          {
            faces.reinit(cell, f);
            double speed = 0.;
            for (const unsigned int q : faces.quadrature_point_indices())
              {
                Array<double, Law::n_fields> field;
                for (int d = 0; d < Law::n_fields; ++d)
                  field[d] = velocity.value(faces.quadrature_point(q), d);
                Array<double, dim> n;
                for (unsigned int d = 0; d < dim; ++d)
                  n[d] = faces.normal_vector(q)[d];
                speed = std::max(speed, setting.law.wave_speed(mean, field, n));
              }
            sum += cell->face(f)->measure() * speed;
          }
        result.push_back(2. * dim * cell->measure() / sum);
      }
    return result;
  }

  template <int dim, typename Law>
  double
  smallest_crossing_time(const Setting<dim, Law> &setting, const dealii::Vector<double> &u)
  {
    const std::vector<double> all = crossing_times(setting, u);
    return *std::min_element(all.begin(), all.end());
  }

  /// An operator with its vector, set up on the box of @p setting.
  template <int dim, typename Law, typename Number = double>
  struct Problem
  {
    Problem(const Setting<dim, Law>  &setting,
            const Device              device,
            const FieldFunction<dim> &fields_of_law = fields<dim, Law>(),
            const bool                local_steps   = false)
    {
      typename ConservationLawOperator<dim, Law, Number>::AdditionalData data;
      data.fields      = fields_of_law;
      data.local_steps = local_steps;
      op.reinit(setting.mapping,
                setting.dof_handler,
                setting.law,
                all_conditions<dim, Law>(),
                device,
                data);
      op.initialize_vector(u);
      op.copy_from(u, random_means(setting));
    }

    /// The length of the next step.
    double
    step(const TimeState &state)
    {
      TimeClock clock = op.make_clock(state);
      op.begin_step(clock, u);
      op.check_states(clock);
      return clock.state().dt;
    }

    /// Make the mean of element @p e something that is not a number.
    void
    spoil(const unsigned int e)
    {
      auto values                                   = u.to_host();
      values[u.layout().coefficients().index(e, 0)] = not_a_number;
      u.copy_from_host(values.data());
    }

    ConservationLawOperator<dim, Law, Number> op;
    Saltus::Vector<Number>                    u;
  };

  template <int dim, typename Law>
  void
  compare_with_formula(const Device device)
  {
    for (const unsigned int degree : {0, 1, 3})
      {
        const Setting<dim, Law> setting(degree, Law(), dim == 2 ? 11 : 4, Vertices::shuffled);
        TimeState               state;
        state.cfl = 0.8;
        const double expected =
          state.cfl / (2 * degree + 1) * smallest_crossing_time(setting, random_means(setting));
        EXPECT_NEAR((Problem<dim, Law>(setting, device).step(state)), expected, 1e-12 * expected);
        EXPECT_NEAR((Problem<dim, Law, float>(setting, device).step(state)),
                    expected,
                    1e-5 * expected);
      }
  }

  /// After the limiter for positive quantities, states at quadrature points count in elements where
  /// density or pressure are below half of those of the mean.
  /// @param setting with straight cells
  template <int dim, typename AnySetting>
  void
  compare_at_points(const AnySetting &setting, const Device device)
  {
    const Euler<dim>        law;
    const auto             &fe     = setting.dof_handler.get_fe();
    const unsigned int      degree = fe.degree;
    const ReferenceCell     shape  = fe.reference_cell();
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_wall(id);
    ConservationLawOperator<dim, Euler<dim>> op;
    op.reinit(setting.mesh(), setting.dof_handler, law, conditions, device, {});
    std::mt19937                           generator(7);
    std::uniform_real_distribution<double> random(-1., 1.);
    dealii::Vector<double>                 u(setting.dof_handler.n_dofs());
    const auto                             one = Basis<dim>(shape, degree).constant(1.);
    for_entries(setting.dof_handler, [&](const auto i, const auto e, const auto m, const auto c) {
      if (c > 0 && c < dim + 1)
        return; // at rest: kinetic energy would leave little of the other changes
      const double amplitude = shape.is_hyper_cube() ? one[m] : m == 0 ? 0. : 0.4;
      u(i) =
        (c == 0 ? 1. : 2.5) * one[m] + (e % 3 == 0 ? 1. : 0.05) * amplitude * random(generator);
    });
    auto x = copied(op, u);
    op.limit(x, Limiter::positivity);
    const auto limited = to_dealii(op, x);

    FEValues<dim>        volume(setting.mapping,
                         fe,
                         cell_quadrature<dim>(shape, 2 * degree),
                         update_values | update_JxW_values);
    FEFaceValues<dim>    faces(setting.mapping,
                            fe,
                            cell_quadrature<dim - 1>(shape.face_reference_cell(0), 2 * degree + 1),
                            update_values | update_normal_vectors);
    FESubfaceValues<dim> parts(setting.mapping, fe, faces.get_quadrature(), update_values);
    using State       = Array<double, dim + 2>;
    const auto states = [&](auto &of_rule) {
      std::vector<dealii::Vector<double>> all(of_rule.n_quadrature_points,
                                              dealii::Vector<double>(dim + 2));
      of_rule.get_function_values(limited, all);
      std::vector<State> result(all.size());
      for (unsigned int q = 0; q < all.size(); ++q)
        std::copy(all[q].begin(), all[q].end(), &result[q][0]);
      return result;
    };
    double       of_means = 0., of_points = 0.;
    unsigned int n_low = 0, n_other = 0;
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        volume.reinit(cell);
        std::vector<State> all = states(volume);
        State              mean{};
        for (const unsigned int q : volume.quadrature_point_indices())
          for (int c = 0; c < dim + 2; ++c)
            mean[c] += volume.JxW(q) * all[q][c] / cell->measure();
        std::vector<Array<double, dim>> normals;
        for (const unsigned int f : cell->face_indices())
          {
            faces.reinit(cell, f);
            Array<double, dim> n;
            for (int d = 0; d < dim; ++d)
              n[d] = faces.normal_vector(0)[d];
            normals.push_back(n);
            for (const State &state : states(faces))
              all.push_back(state);
            if (!cell->at_boundary(f) && cell->neighbor(f)->has_children())
              for (unsigned int s = 0; s < cell->face(f)->n_children(); ++s)
                {
                  parts.reinit(cell, f, s);
                  for (const State &state : states(parts))
                    all.push_back(state);
                }
          }
        const auto rate = [&](const State &state) {
          double sum = 0.;
          for (const unsigned int f : cell->face_indices())
            sum += cell->face(f)->measure() * law.wave_speed(state, Array<double, 0>(), normals[f]);
          return sum / (2. * dim * cell->measure());
        };
        bool   is_low = false;
        double here   = rate(mean);
        of_means      = std::max(of_means, here);
        for (const State &state : all)
          for (unsigned int i = 0; i < 2; ++i)
            is_low |= law.positive(state)[i] < 0.5 * law.positive(mean)[i];
        if (is_low)
          for (const State &state : all)
            here = std::max(here, rate(state));
        of_points = std::max(of_points, here);
        ++(is_low ? n_low : n_other);
      }
    EXPECT_GT(n_low, 5U);
    EXPECT_GT(n_other, 5U);
    EXPECT_GT(of_points, 2. * of_means);

    TimeState state;
    state.cfl       = 0.8;
    const auto step = [&](const Limiter limiter) {
      TimeClock clock = op.make_clock(state);
      op.begin_step(clock, x, limiter);
      op.check_states(clock);
      return clock.state().dt;
    };
    const double unit = state.cfl / (2 * degree + 1);
    EXPECT_NEAR(step(Limiter::none), unit / of_means, 1e-11 * unit / of_means);
    const double marked = step(Limiter::positivity);
    EXPECT_NEAR(marked, unit / of_points, 1e-8 * unit / of_points); // the density is 1e-6 somewhere
    op.look_at_all_points();
    EXPECT_EQ(step(Limiter::positivity), marked);
  }

  /// The largest eigenvalue of the viscous flux about a constant state, times the step of the CFL
  /// number 1: by powers of the linearized operator.
  template <int dim, typename AnySetting>
  double
  eigenvalue_times_step(const AnySetting &setting, const Device device)
  {
    Euler<dim> law;
    law.transport.viscosity          = 1e4; // waves do not count
    const auto              constant = constant_data<dim, Euler<dim>>();
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_prescribed(id, constant);
    ConservationLawOperator<dim, Euler<dim>> op;
    op.reinit(setting.mesh(), setting.dof_handler, law, conditions, device, {});
    TimeState state;
    state.cfl       = 1.;
    TimeClock clock = op.make_clock(state);
    auto      u = zeros(op), r = u;
    op.project(constant, u);
    op.begin_step(clock, u);
    const dealii::Vector<double> base     = to_dealii(op, u);
    const auto                   residual = [&](const dealii::Vector<double> &of) {
      u = copied(op, of);
      op.apply(clock, u, r);
      return to_dealii(op, r);
    };
    const dealii::Vector<double>           at_base = residual(base);
    std::mt19937                           generator(3);
    std::uniform_real_distribution<double> random(-1., 1.);
    dealii::Vector<double>                 v(base.size());
    for (double &entry : v)
      entry = random(generator);
    double           eigenvalue = 0.;
    constexpr double small      = 1e-5;
    for (unsigned int i = 0; i < 100; ++i)
      {
        v *= small / v.l2_norm();
        v += base;
        v = residual(v);
        v -= at_base;
        eigenvalue = v.l2_norm() / small;
      }
    return eigenvalue * clock.state().dt;
  }

  /// The factor by which a step changes a perturbation if elements take their own steps and some
  /// have artificial viscosity.
  /// @param has_shock `(cell)`: whether the cell has it
  /// @param reinit `(op, conditions, data)`: set the operator up for Euler<dim>
  template <typename Operator, int dim, typename HasShock, typename Reinit>
  double
  change_beside_shocks(const DoFHandler<dim> &dof_handler,
                       const HasShock        &has_shock,
                       const Reinit          &reinit)
  {
    const auto              constant = constant_data<dim, Euler<dim>>();
    BoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_prescribed(id, constant);
    typename Operator::AdditionalData data;
    data.local_steps                   = true;
    data.artificial_viscosity.strength = 100.;
    Operator op;
    reinit(op, conditions, data);
    TimeState state;
    state.cfl                           = 1.;
    typename Operator::Clock      clock = op.make_clock(state);
    typename Operator::VectorType u, r, none;
    op.initialize_vector(u);
    op.initialize_vector(r);
    op.project(constant, u);
    dealii::Vector<double> base;
    op.copy_to(base, u);
    dealii::Vector<double>                 shock = base, v(base.size());
    std::mt19937                           generator(3);
    std::uniform_real_distribution<double> random(-1., 1.);
    std::vector<bool>                      shocks;
    for (const auto &cell : dof_handler.active_cell_iterators())
      shocks.push_back(has_shock(cell));
    for_entries(dof_handler, [&](const auto i, const auto e, const auto, const auto c) {
      v(i) = random(generator);
      if (shocks[e] && c == 0)
        shock(i) += 0.02 * random(generator);
    });
    op.copy_from(u, shock);
    op.begin_step(clock, u);
    op.check_states(clock);
    StageCoefficients forward;
    forward.a = forward.c = 1.;
    const auto step       = [&](const dealii::Vector<double> &from) {
      dealii::Vector<double> to;
      op.copy_from(u, from);
      op.stage(clock, forward, u, none, none, r);
      op.copy_to(to, r);
      return to;
    };
    const dealii::Vector<double> after  = step(base);
    double                       change = 0.;
    constexpr double             small  = 1e-6;
    for (unsigned int i = 0; i < 100; ++i)
      {
        v *= small / v.l2_norm();
        dealii::Vector<double> next = v;
        next += base;
        next = step(next);
        next -= after;
        next -= v; // the change alone
        change = next.l2_norm() / small;
        v      = next;
      }
    return change;
  }

  /// On the cells of a setting, every fifth of which has a shock.
  template <int dim, typename AnySetting>
  double
  change_beside_shocks(const AnySetting &setting, const Device device)
  {
    return change_beside_shocks<ConservationLawOperator<dim, Euler<dim>>>(
      setting.dof_handler,
      [](const auto &cell) { return cell->active_cell_index() % 5 == 0; },
      [&](auto &op, const auto &conditions, const auto &data) {
        op.reinit(setting.mesh(), setting.dof_handler, Euler<dim>(), conditions, device, data);
      });
  }

  template <int dim, typename AnySetting>
  void
  expect_stable(const std::string &name, const AnySetting &setting, const Device device)
  {
    const double product = eigenvalue_times_step<dim>(setting, device);
    std::cout << name << ", p = " << setting.dof_handler.get_fe().degree << ": " << product
              << std::endl;
    EXPECT_GT(product, 0.1) << name;
    EXPECT_LT(product, 2.8) << name;
  }
} // namespace

using StepSizeTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(StepSizeTest)

TEST(StepSize, MaximaKeepNan)
{
  EXPECT_EQ(larger_or_nan(1., 2.), 2.);
  EXPECT_EQ(larger_or_nan(2., 1.), 2.);
  EXPECT_TRUE(std::isnan(larger_or_nan(not_a_number, 1.)));
  EXPECT_TRUE(std::isnan(larger_or_nan(1., not_a_number)));
  EXPECT_TRUE(std::isnan(larger_or_nan(not_a_number, not_a_number)));

  const double ordered[] = {0., 1e-310, 1e-3, 1., 2., 1e300, infinity, not_a_number};
  for (unsigned int i = 1; i < std::size(ordered); ++i)
    EXPECT_LT(ordered_bits(ordered[i - 1]), ordered_bits(ordered[i]));
  EXPECT_EQ(from_ordered_bits(ordered_bits(1.25)), 1.25);
  EXPECT_TRUE(std::isnan(from_ordered_bits(ordered_bits(-not_a_number))));
}

TEST(StepSize, OfSeveralRanksIsTheShortest)
{
  constexpr double infinite = TimeState::unlimited, none = std::numeric_limits<double>::quiet_NaN();
  const auto       agree = [](const std::vector<double> &steps) {
    long long largest = std::numeric_limits<long long>::min();
    for (const double dt : steps)
      {
        TimeState state;
        state.dt = dt;
        largest  = std::max(largest, shortness(state));
      }
    TimeState state;
    set_step_of_shortness(state, largest);
    return state.dt;
  };
  EXPECT_EQ(agree({3., 1e-300, 2.}), 1e-300);
  EXPECT_EQ(agree({3., 0., 2.}), 2.); // nothing limits the second one
  EXPECT_EQ(agree({0., 0.}), 0.);
  EXPECT_EQ(agree({0., infinite}), 0.);
  EXPECT_TRUE(std::isnan(agree({1e-300, none, 0.})));
}

TEST(StepSize, FromRate)
{
  TimeState state;
  state.cfl = 0.5;
  EXPECT_DOUBLE_EQ(step_from_rate(state, 2., 1, 2, 0.5), 0.5 * 2. / (3. * 2.));
  EXPECT_EQ(step_from_rate(state, 0., 1, 2, 0.5), infinity);
  EXPECT_EQ(step_from_rate(state, infinity, 1, 2, 0.5), 0.);
  EXPECT_TRUE(std::isnan(step_from_rate(state, not_a_number, 1, 2, 0.5)));
  state.max_dt = 0.125;
  EXPECT_EQ(step_from_rate(state, 2., 1, 2, 0.5), 0.125);
  EXPECT_EQ(step_from_rate(state, 0., 1, 2, 0.5), 0.125);
  EXPECT_TRUE(std::isnan(step_from_rate(state, not_a_number, 1, 2, 0.5)));
  state.cfl = 0.;
  EXPECT_EQ(step_from_rate(state, 100., 1, 2, 0.5), 0.125);
}

TEST(StepSize, EndCutsSteps)
{
  TimeState state;
  state.time = 1.;
  state.end  = 1.5;
  set_step(state, 0.25);
  EXPECT_EQ(state.dt, 0.25);
  set_step(state, 0.75);
  EXPECT_EQ(state.dt, 0.5);
  set_step(state, 0.5 / (1. + 0.5e-6)); // what is left is not worth a step of its own
  EXPECT_EQ(state.dt, 0.5);
  set_step(state, not_a_number);
  EXPECT_TRUE(std::isnan(state.dt));
  TimeState unlimited;
  set_step(unlimited, infinity);
  EXPECT_EQ(unlimited.dt, 0.);
  state.dt = 0.5;
  advance(state);
  EXPECT_EQ(state.time, 1.5);
  EXPECT_EQ(state.n_steps, 1);
  set_step(state, 0.25);
  EXPECT_EQ(state.dt, 0.);
  advance(state);
  EXPECT_EQ(state.time, 1.5);
  EXPECT_EQ(state.n_steps, 1);
}

TEST_P(StepSizeTest, ShortnessKeepsTheStep)
{
  for (const double dt : {0., 1e-300, 0.25})
    {
      TimeState start;
      start.dt = dt;
      Memory<TimeState> state(device(), std::vector<TimeState>(1, start));
      Memory<long long> number(device(), 1);
      launch(device(), 1, GetShortness{state.data(), number.data()});
      EXPECT_EQ(number.to_host()[0], shortness(start));
      state.fill_zero();
      launch(device(), 1, SetStepOfShortness{state.data(), number.data()});
      EXPECT_EQ(state.to_host()[0].dt, dt);
    }
}

TEST_P(StepSizeTest, EqualsTheFormula)
{
  compare_with_formula<2, Euler<2>>(device());
  compare_with_formula<3, Euler<3>>(device());
  compare_with_formula<2, Advection<2>>(device());
  compare_with_formula<3, Advection<3>>(device());
}

TEST_P(StepSizeTest, CountsStatesAtPoints)
{
  compare_at_points<2>(Setting<2, Euler<2>>(2, Euler<2>(), 6), device());
  compare_at_points<3>(Setting<3, Euler<3>>(1, Euler<3>(), 3), device());
  compare_at_points<2>(HypercubeSetting<2, Euler<2>>(3, Cells::refined, Euler<2>(), 5, 0.),
                       device());
  compare_at_points<3>(HypercubeSetting<3, Euler<3>>(1, Cells::refined, Euler<3>(), 2, 0.),
                       device());
}

TEST_P(StepSizeTest, ViscousStepsAreStable)
{
  for (const unsigned int p : {1, 2, 4})
    {
      expect_stable<2>("triangles", Setting<2, Euler<2>>(p, Euler<2>(), 4), device());
      expect_stable<2>("curved triangles",
                       CurvedSetting<2, Euler<2>>(p, 3, bump_at_side<2>()),
                       device());
      for (const double distortion : {0.2, 0.35})
        expect_stable<2>(
          "quadrilaterals",
          HypercubeSetting<2, Euler<2>>(p, Cells::distorted, Euler<2>(), 4, distortion),
          device());
    }
  for (const unsigned int p : {1, 2})
    {
      expect_stable<3>("tetrahedra", Setting<3, Euler<3>>(p, Euler<3>(), 2), device());
      expect_stable<3>("curved tetrahedra",
                       CurvedSetting<3, Euler<3>>(p, 2, bump_at_side<3>()),
                       device());
      expect_stable<3>("hexahedra",
                       HypercubeSetting<3, Euler<3>>(p, Cells::distorted, Euler<3>(), 2, 0.3),
                       device());
    }
}

TEST_P(StepSizeTest, LocalStepsBesideArtificialViscosityAreStable)
{
  Triangulation<2> mixed_cells;
  make_mixed_box(mixed_cells, 6, 0.);
  const MappingByShape<2>      mapping = straight_mapping();
  const MixedSetting<Euler<2>> mixed(mixed_cells, mapping, 2);
  // Shocks in cells of one shape: across their faces to the other one nobody has any.
  const auto on_mixed = [&](const bool in_triangles) {
    return change_beside_shocks<MixedConservationLawOperator<2, Euler<2>>>(
      mixed.dof_handler,
      [&](const auto &cell) { return cell->reference_cell().is_simplex() == in_triangles; },
      [&](auto &op, const auto &conditions, const auto &data) {
        op.reinit(mapping, mixed.dof_handler, mixed.law, conditions, device(), data);
      });
  };
  const double changes[] = {
    change_beside_shocks<2>(Setting<2, Euler<2>>(2, Euler<2>(), 4), device()),
    change_beside_shocks<2>(HypercubeSetting<2, Euler<2>>(2, Cells::refined, Euler<2>(), 3, 0.),
                            device()),
    on_mixed(true),
    on_mixed(false)};
  for (const double change : changes)
    {
      std::cout << "change in a step of the CFL number 1: " << change << std::endl;
      EXPECT_GT(change, 0.5);
      EXPECT_LT(change, 4.);
    }
}

TEST_P(StepSizeTest, BoundsAreKept)
{
  const Setting<2, Euler<2>> setting(1);
  Problem<2, Euler<2>>       problem(setting, device());
  TimeState                  state;
  state.cfl         = 0.5;
  const double free = problem.step(state);
  state.max_dt      = 2. * free;
  EXPECT_EQ(problem.step(state), free);
  state.max_dt = 0.5 * free;
  EXPECT_EQ(problem.step(state), 0.5 * free);
  state.cfl    = 0.;
  state.max_dt = 2. * free;
  EXPECT_EQ(problem.step(state), 2. * free);
  state.time = 1.;
  state.end  = 1.125;
  EXPECT_EQ(problem.step(state), std::min(0.125, 2. * free));
  state.max_dt = 1.;
  EXPECT_EQ(problem.step(state), 0.125);
}

TEST_P(StepSizeTest, StateThatIsNotANumberIsReported)
{
  const Setting<2, Euler<2>> setting(1, Euler<2>(), 11);
  for_numbers_of_threads([&]() {
    for (const unsigned int e : {0, 1, 31, 32, 100, 241})
      {
        Problem<2, Euler<2>> problem(setting, device());
        ASSERT_EQ(problem.op.n_elements(), 242);
        problem.spoil(e);
        TimeState state;
        state.cfl       = 0.5;
        state.max_dt    = 0.1;
        TimeClock clock = problem.op.make_clock(state);
        problem.op.begin_step(clock, problem.u);
        EXPECT_TRUE(std::isnan(clock.state().dt)) << "element " << e;
        const std::string message = message_of([&]() { problem.op.check_states(clock); });
        EXPECT_TRUE(contains(message, "Inadmissible state of Euler at time 0 in the cell at ("));
        EXPECT_TRUE(contains(message, "element " + std::to_string(e) + ": density = nan"));
        for (const std::string name : {"momentum_y", "energy", "velocity_y", "pressure"})
          EXPECT_TRUE(contains(message, ' ' + name + " = "));
      }
  });
}

TEST_P(StepSizeTest, StateThatIsNotANumberEndsTheRun)
{
  const Setting<2, Euler<2>> setting(1, Euler<2>(), 11);
  for_numbers_of_threads([&]() {
    for (const double cfl : {0., 0.5})
      {
        Problem<2, Euler<2>> problem(setting, device());
        problem.spoil(77);
        TimeState state;
        state.cfl                                                  = cfl;
        state.max_dt                                               = 0.001;
        state.end                                                  = 1.;
        TimeClock                                            clock = problem.op.make_clock(state);
        TimeIntegrator<ConservationLawOperator<2, Euler<2>>> integrator(problem.op,
                                                                        clock,
                                                                        RungeKutta("SSP3"));
        EXPECT_MESSAGE(integrator.advance(problem.u), "element 77");
      }
  });
}

TEST_P(StepSizeTest, WaveSpeedThatIsNotFiniteIsReported)
{
  for (const std::string bad : {"0/0", "1/0"})
    {
      const Setting<2, Advection<2>> setting(2);
      Problem<2, Advection<2>>       problem(
        setting,
        device(),
        FieldFunction<2>(Expression(2, "if(x > 0.85 && y < 0.2, " + bad + ", 1); 0.5", 2)));
      TimeState state;
      state.cfl                 = 0.5;
      const std::string message = message_of([&]() { problem.step(state); });
      EXPECT_TRUE(
        contains(message, "Wave speed that is not finite of advection at time 0 in the cell at"));
    }
}

/// With its own step an element changes by that times its residual; no step is longer than the
/// longest allowed.
TEST_P(StepSizeTest, LocalSteps)
{
  const Setting<2, Euler<2>> setting(2);
  Problem<2, Euler<2>>       problem(setting, device(), fields<2, Euler<2>>(), true);
  const auto                 before = to_dealii(problem.op, problem.u);
  auto                       times  = crossing_times(setting, before);
  constexpr double           cfl    = 0.3;
  for (double &time : times)
    time *= cfl / (2. * 2. + 1.);
  TimeState state;
  state.cfl       = cfl;
  state.max_dt    = 0.5 * (*std::min_element(times.begin(), times.end()) +
                        *std::max_element(times.begin(), times.end()));
  TimeClock clock = problem.op.make_clock(state);
  auto      r = problem.u, u = problem.u;
  problem.op.apply(clock, u, r);
  const auto derivative = to_dealii(problem.op, r);
  problem.op.begin_step(clock, u);
  EXPECT_NEAR(clock.state().dt, *std::min_element(times.begin(), times.end()), 1e-13);
  StageCoefficients forward;
  forward.a = forward.c = 1.;
  Saltus::Vector<double> none;
  problem.op.stage(clock, forward, u, none, none, r);
  const auto after = to_dealii(problem.op, r);
  for_entries(setting.dof_handler, [&](const auto i, const auto e, const auto, const auto) {
    EXPECT_NEAR(after(i),
                before(i) + std::min(times[e], state.max_dt) * derivative(i),
                1e-12 * (1. + std::abs(derivative(i))));
  });
}
