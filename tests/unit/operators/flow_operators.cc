// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Operators of incompressible flow against an assembly with deal.II, and their properties.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_simplex_p.h>

#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <limits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double some_time = 0.7;

  template <int dim>
  using AdditionalData = typename FlowOperators<dim>::AdditionalData;

  class FlowTest : public OnDevice
  {
  protected:
    template <int dim>
    FlowOperators<dim>
    make(const FlowSetting<dim>                  &setting,
         const FlowBoundaryConditions<dim>       &conditions,
         const AdditionalData<dim>               &data            = {},
         const unsigned int                       matching_rounds = max_matching_rounds,
         const typename ElementOrder<dim>::Kinds &kinds           = {}) const
    {
      FlowOperators<dim> flow;
      flow.reinit(setting.mesh(conditions.periodic(), matching_rounds, kinds),
                  setting.velocity,
                  setting.pressure,
                  conditions,
                  device(),
                  data);
      return flow;
    }

    /// One of the operators between deal.II's vectors.
    template <int dim>
    static dealii::Vector<double>
    result(const FlowOperators<dim>     &flow,
           const FlowTerm                term,
           const dealii::Vector<double> &u,
           const dealii::Vector<double> &w,
           const DataTimes              &times)
    {
      const auto &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
      const auto  from = copied(input(term, velocity, pressure), u), by = copied(velocity, w);
      const auto &space = output(term, velocity, pressure);
      auto        dst   = space.make_vector();
      apply(flow, term, dst, from, by, times);
      return to_dealii(space, dst);
    }

    /// All operators at a random state with all boundary conditions, with numbers of the faces that
    /// are the same on both sides and with those of deal.II's cells.
    template <int dim>
    void
    compare_with_assembly(const FlowSetting<dim>    &setting,
                          const bool                 periodic,
                          const AdditionalData<dim> &data  = {0, 0.4},
                          const DataTimes           &times = some_time) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.pressure.get_fe().degree) +
                   (periodic ? ", periodic" : ""));
      const auto u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p = setting.random_pressure(3);
      for (const auto &conditions : all_flow_conditions<dim>(periodic))
        {
          const FlowAssembly<dim> assembly(setting, conditions, data);
          const auto              matched = make(setting, conditions, data),
                     unmatched            = make(setting, conditions, data, 0);
          for (const FlowTerm term : all_flow_terms)
            {
              SCOPED_TRACE(to_string(term));
              const auto &from     = input(term, u, p);
              const auto  expected = assembly.apply(term, times, from, w);
              EXPECT_LT(relative_difference(result(matched, term, from, w, times), expected),
                        1e-11);
              EXPECT_LT(relative_difference(result(unmatched, term, from, w, times), expected),
                        1e-11);
            }
        }
    }

    /// Elements that are declared another kind, and served by the general kernels, change nothing.
    template <int dim>
    void
    compare_kinds(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree, dim == 2 ? 8 : 4, Vertices::shuffled);
      const auto             u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p = setting.random_pressure(3);
      for (const auto &conditions : all_flow_conditions<dim>(dim == 3))
        for (const FlowTerm term : all_flow_terms)
          {
            SCOPED_TRACE(to_string(term));
            const auto of_kinds = [&](const typename ElementOrder<dim>::Kinds &kinds,
                                      const unsigned int rounds = max_matching_rounds) {
              return result(make(setting, conditions, {0, 0.4}, rounds, kinds),
                            term,
                            input(term, u, p),
                            w,
                            some_time);
            };
            const auto expected = of_kinds({});
            EXPECT_LT(relative_difference(of_kinds(some_are_stored<dim>), expected), 1e-12);
            EXPECT_LT(relative_difference(of_kinds(some_are_stored<dim>, 0), expected), 1e-12);
            EXPECT_LT(relative_difference(of_kinds(all_are_stored<dim>), expected), 1e-12);
          }
    }

    template <int dim>
    void
    compare_rates(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const FlowSetting<dim> setting(degree);
          const auto   flow     = make(setting, periodic_conditions<FlowBoundaryConditions, dim>());
          const auto   u        = setting.random_velocity(1);
          const double expected = assembled_rate(setting, u);
          EXPECT_NEAR(flow.convection_rate(copied(flow.velocity_space(), u)),
                      expected,
                      1e-13 * expected);
        }
    }

    template <int dim>
    void
    compare_degrees(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        compare_with_assembly(FlowSetting<dim>(degree), degree % 2 == 0);
    }

    /// (u, grad p) = -(div u, p) without data, whatever the boundary.
    template <int dim>
    void
    compare_adjoints(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const FlowSetting<dim> setting(degree);
          for (const auto &conditions : all_flow_conditions<dim>(degree % 2 == 1))
            {
              const auto         flow = make(setting, conditions);
              const auto         u    = copied(flow.velocity_space(), setting.random_velocity(1));
              const auto         p    = copied(flow.pressure_space(), setting.random_pressure(2));
              auto               gradient = u, divergence = p;
              FlowUpdate<double> times_mass;
              times_mass.times_mass = true;
              flow.gradient(gradient, p, {}, times_mass);
              flow.divergence(divergence, u, {}, times_mass);
              EXPECT_NEAR(u * gradient,
                          -(divergence * p),
                          1e-13 * u.l2_norm() * gradient.l2_norm());
              EXPECT_GT(std::abs(u * gradient), 1e-6 * u.l2_norm() * gradient.l2_norm());
            }
        }
    }

    /// Sums over all elements of the first mode, which is constant, cancel.
    template <int dim>
    void
    check_momentum(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree, 3, Vertices::shuffled);
      const auto         flow = make(setting, periodic_conditions<FlowBoundaryConditions, dim>());
      const auto         u    = copied(flow.velocity_space(), setting.random_velocity(1));
      const auto         w    = copied(flow.velocity_space(), setting.random_velocity(2));
      FlowUpdate<double> times_mass;
      times_mass.times_mass = true;
      for (const FlowTerm term : {FlowTerm::convection, FlowTerm::transport})
        {
          auto change = u;
          apply(flow, term, change, u, w, {}, times_mass);
          const std::vector<double> entries = change.entries();
          for (unsigned int c = 0; c < dim; ++c)
            {
              double sum = 0, sum_of_absolutes = 0;
              for (std::size_t i = c; i < entries.size(); i += change.n_modes() * dim)
                {
                  sum += entries[i];
                  sum_of_absolutes += std::abs(entries[i]);
                }
              EXPECT_GT(sum_of_absolutes, 1.);
              EXPECT_LT(std::abs(sum), 1e-13 * sum_of_absolutes);
            }
        }
    }

    /// Operators of sums of vectors that are not formed.
    template <int dim>
    void
    compare_sums(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree);
      const auto             flow     = make(setting, all_flow_conditions<dim>()[0], {0, 0.4});
      const auto            &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
      const auto             u1 = copied(velocity, setting.random_velocity(1)),
                 u2             = copied(velocity, setting.random_velocity(2)),
                 p1             = copied(pressure, setting.random_pressure(3)),
                 p2             = copied(pressure, setting.random_pressure(4));
      auto u = u1, w = u1, p = p1;
      u.sadd(2., -1., u2);
      w.sadd(0.5, 3., u2);
      p.sadd(2., -1., p2);
      const VectorSum<double> u_sum({{2., &u1}, {-1., &u2}}), w_sum({{0.5, &u1}, {3., &u2}}),
        p_sum({{2., &p1}, {-1., &p2}});
      for (const FlowTerm term : all_flow_terms)
        {
          SCOPED_TRACE(to_string(term));
          auto expected = output(term, velocity, pressure).make_vector(), of_sum = expected;
          apply(flow, term, expected, input(term, u, p), w, some_time);
          apply(flow, term, of_sum, input(term, u_sum, p_sum), w_sum, some_time);
          EXPECT_LT(of_sum.max_difference(expected), 1e-12 * expected.linfty_norm());
        }
    }

    /// Everything that can be made of the result, against deal.II's vectors.
    template <int dim>
    void
    compare_updates(const unsigned int degree) const
    {
      constexpr double       scale = 0.7, A = -0.4, B = 0.6;
      const FlowSetting<dim> setting(degree);
      const auto             flow     = make(setting, all_flow_conditions<dim>()[0]);
      const auto            &velocity = flow.velocity_space(), &pressure = flow.pressure_space();
      const auto             u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p = setting.random_pressure(3);
      for (const FlowTerm term : all_flow_terms)
        {
          const auto &space       = output(term, velocity, pressure);
          const auto &dof_handler = output(term, setting.velocity, setting.pressure);
          const auto  random      = [&](const unsigned int seed) {
            return random_vector(dof_handler.n_dofs(), seed);
          };
          const auto before = random(4), x = random(5), y = random(6), s_before = random(7);
          const auto derivative = result(flow, term, input(term, u, p), w, some_time);
          const auto from       = copied(input(term, velocity, pressure), input(term, u, p)),
                     by = copied(velocity, w), x_here = copied(space, x), y_here = copied(space, y);
          for (const std::string base : {"nothing", "others", "itself and another"})
            for (const bool accumulates : {false, true})
              for (const bool times_mass : {false, true})
                {
                  SCOPED_TRACE(to_string(term) + " added to " + base +
                               (accumulates ? ", with an accumulator" : "") +
                               (times_mass ? ", times the mass matrix" : ""));
                  auto                   dst = copied(space, before), s = copied(space, s_before);
                  FlowUpdate<double>     update{{}, scale, times_mass, nullptr, A, B};
                  dealii::Vector<double> expected_s(derivative), expected(x.size());
                  expected_s *= scale;
                  if (accumulates)
                    {
                      update.accumulator = &s;
                      expected_s.add(A, s_before);
                    }
                  if (base == "others")
                    {
                      update.base = {{{0.5, &x_here}, {-1., &y_here}}};
                      expected.add(0.5, x, -1., y);
                    }
                  else if (base == "itself and another")
                    {
                      update.base = {{{1., &dst}, {2., &x_here}}};
                      expected.add(1., before, 2., x);
                    }
                  expected.add(B, expected_s);
                  if (times_mass)
                    expected.scale(mass(dof_handler));
                  apply(flow, term, dst, from, by, some_time, update);
                  EXPECT_LT(relative_difference(to_dealii(space, dst), expected), 1e-13);
                  EXPECT_LT(relative_difference(to_dealii(space, s),
                                                accumulates ? expected_s : s_before),
                            1e-13);
                }
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(FlowTest)

TEST_P(FlowTest, RangesOfTwoKinds)
{
  compare_kinds<2>(3);
  compare_kinds<3>(2);
}

TEST_P(FlowTest, Triangles)
{
  compare_degrees<2>(max_assembled_degree<2>);
}

TEST_P(FlowTest, Tetrahedra)
{
  compare_degrees<3>(max_assembled_degree<3>);
}

TEST_P(FlowTest, ShuffledVertices)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    compare_with_assembly(FlowSetting<2>(degree, 4, Vertices::shuffled), degree % 2 == 1);
  for (unsigned int degree = 1; degree <= 3; ++degree)
    compare_with_assembly(FlowSetting<3>(degree, 2, Vertices::shuffled), degree % 2 == 1);
}

/// Data at no time, at several times, and then at another one: without what was computed before.
TEST_P(FlowTest, TimesOfData)
{
  for (const DataTimes &times : {DataTimes(), DataTimes({{2., some_time}, {-1., 0.3}})})
    {
      compare_with_assembly<2>(FlowSetting<2>(3), false, {0, 0.4}, times);
      compare_with_assembly<3>(FlowSetting<3>(2), false, {0, 0.4}, times);
    }
  const FlowSetting<3> setting(1);
  const auto           conditions = all_flow_conditions<3>()[0];
  const auto           flow       = make(setting, conditions);
  const auto           u = setting.random_velocity(1), p = setting.random_pressure(2);
  for (const double time : {0.2, 0.2, 0.9})
    for (const FlowTerm term : all_flow_terms)
      EXPECT_LT(relative_difference(
                  result(flow, term, input(term, u, p), u, time),
                  FlowAssembly<3>(setting, conditions, {}).apply(term, time, input(term, u, p), u)),
                1e-11);
}

/// Also what does not integrate exactly: the same points give the same aliasing.
TEST_P(FlowTest, AnotherQuadrature)
{
  for (unsigned int degree = 1; degree <= 3; ++degree)
    for (const unsigned int convection_degree : {2 * degree, 3 * degree + 1})
      {
        compare_with_assembly<2>(FlowSetting<2>(degree), false, {convection_degree, 0.});
        compare_with_assembly<3>(FlowSetting<3>(degree), false, {convection_degree, 0.});
      }
}

/// A velocity that carries itself has another numerical flux than that of convection.
TEST_P(FlowTest, TransportByItself)
{
  const FlowSetting<2> setting(4);
  for (const auto &conditions : all_flow_conditions<2>(true))
    {
      const auto flow = make(setting, conditions);
      const auto u    = setting.random_velocity(1);
      const auto expected =
        FlowAssembly<2>(setting, conditions, {}).apply(FlowTerm::transport, some_time, u, u);
      EXPECT_LT(relative_difference(result(flow, FlowTerm::transport, u, u, some_time), expected),
                1e-11);
      EXPECT_GT(relative_difference(result(flow, FlowTerm::convection, u, u, some_time), expected),
                1e-2);
    }
}

/// What is carried may be a multiple of a velocity, its given values too.
TEST_P(FlowTest, MultiplesAreCarried)
{
  const FlowSetting<2> setting(3);
  for (const auto &conditions : all_flow_conditions<2>())
    {
      const auto  flow  = make(setting, conditions);
      const auto &space = flow.velocity_space();
      const auto  u     = copied(space, setting.random_velocity(1));
      const auto  w     = copied(space, setting.random_velocity(2));
      auto        once = space.make_vector(), thrice = once;
      flow.transport(once, u, w, some_time);
      once *= 3.;
      const std::vector<VectorSum<double>::Term> multiple = {{3., &u}};
      flow.transport(thrice, multiple, w, some_time, {}, {3.});
      EXPECT_LT(thrice.max_difference(once), 1e-13 * once.linfty_norm());
      flow.transport(thrice, multiple, w, some_time);
      EXPECT_GT(thrice.max_difference(once), 1e-2 * once.linfty_norm());
    }
}

TEST_P(FlowTest, ConvectionRate)
{
  compare_rates<2>(4);
  compare_rates<3>(4);
}

TEST_P(FlowTest, GradientIsAdjointOfDivergence)
{
  compare_adjoints<2>(8);
  compare_adjoints<3>(6);
}

TEST_P(FlowTest, MomentumIsConserved)
{
  check_momentum<2>(4);
  check_momentum<3>(2);
}

TEST_P(FlowTest, SumsOfVectors)
{
  compare_sums<2>(3);
  compare_sums<3>(2);
}

TEST_P(FlowTest, Updates)
{
  compare_updates<2>(3);
  compare_updates<3>(2);
}

/// Also the numbering of the operators' own.
TEST_P(FlowTest, ConstantVelocityIsNotChanged)
{
  const std::vector<double> velocity = {0.7, 0.4, -0.3};
  FlowBoundaryConditions<3> conditions;
  for (const unsigned int id : {0, 2, 3, 4, 5})
    conditions.set_velocity(id, Expression(3, "0.7; 0.4; -0.3", 3));
  conditions.set_outflow(1);
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      const FlowSetting<3> setting(degree);
      FlowOperators<3>     flow;
      flow.reinit(setting.mesh(), degree, conditions, device(), {0, 0.4});
      auto                u = flow.velocity_space().make_vector(), change = u;
      std::vector<double> entries(u.locally_owned_size());
      for (std::size_t i = 0; i < entries.size(); ++i)
        if (i % (3 * u.n_modes()) < 3) // mode 0
          entries[i] = velocity[i % 3] / std::sqrt(6.);
      u.set_entries(entries);
      for (const FlowTerm term : {FlowTerm::convection, FlowTerm::transport})
        {
          apply(flow, term, change, u, u, some_time);
          EXPECT_LT(change.linfty_norm(), 1e-12);
          apply(flow, term, change, u, u); // without data
          EXPECT_GT(change.linfty_norm(), 0.1);
        }
      auto divergence = flow.pressure_space().make_vector();
      flow.divergence(divergence, u, some_time);
      EXPECT_LT(divergence.linfty_norm(), 1e-12);
    }
}

/// Also in a release build: everything that would read beyond the end of an array.
TEST_P(FlowTest, WrongVectorsAreRefused)
{
  using Vector = Saltus::Vector<double>;
  struct Call
  {
    Vector             dst, accumulator;
    VectorSum<double>  u, w;
    FlowUpdate<double> update = {};
  };
  const FlowSetting<2> setting(2), finer(2, 5), of_degree_1(1);
  const auto           conditions = all_flow_conditions<2>()[0];
  const auto           flow       = make(setting, conditions);
  const Vector u = flow.velocity_space().make_vector(), p = flow.pressure_space().make_vector();
  std::vector<Vector> vectors = {Vector(), u, p};
  vectors.emplace_back(Device::cpu(), u.n_elements(), u.n_modes(), 2);
  for (const auto *other : {&finer, &of_degree_1})
    {
      const auto of_other = make(*other, conditions);
      vectors.push_back(of_other.velocity_space().make_vector());
      vectors.push_back(of_other.pressure_space().make_vector());
    }
  for (const FlowTerm term : all_flow_terms)
    {
      const std::string name = term == FlowTerm::gradient     ? "pressure gradient"
                               : term == FlowTerm::divergence ? "velocity divergence"
                                                              : to_string(term);
      const Vector     &from = input(term, u, p), &to = output(term, u, p);
      const auto        refuses = [&](const std::string &message, const auto &spoil) {
        Call call{to, to, from, u};
        spoil(call);
        const std::string text = message_of(
          [&]() { apply(flow, term, call.dst, call.u, call.w, some_time, call.update); });
        EXPECT_TRUE(contains(text, name) && contains(text, message)) << text;
      };
      refuses("needs an input", [](Call &call) { call.u = {}; });
      refuses("sums of at most 8 vectors, not 9", [&](Call &call) {
        call.u = std::vector<VectorSum<double>::Term>(9, {1., &from});
      });
      for (const Vector &vector : vectors)
        {
          const auto is_like = [&](const Vector &other) {
            return vector.layout() == other.layout();
          };
          if (!is_like(from))
            refuses("a vector ", [&](Call &call) { call.u = vector; });
          if (term == FlowTerm::transport && !is_like(u))
            refuses("a vector ", [&](Call &call) { call.w = vector; });
          if (is_like(to))
            continue;
          refuses("a vector ", [&](Call &call) { call.dst = vector; });
          refuses("a vector ", [&](Call &call) { call.update.base = vector; });
          refuses("a vector ", [&](Call &call) {
            call.accumulator        = vector;
            call.update.accumulator = &call.accumulator;
          });
        }
      if (&from != &to) // otherwise these have the wrong shape
        continue;
      refuses("in place", [&](Call &call) { call.u = {{{1., &from}, {2., &call.dst}}}; });
      refuses("in place", [](Call &call) {
        call.u                  = call.accumulator;
        call.update.accumulator = &call.accumulator;
      });
      if (term == FlowTerm::transport)
        refuses("in place", [](Call &call) { call.w = call.dst; });
    }
}

TEST_P(FlowTest, NotSetUp)
{
  const FlowOperators<2> flow;
  Saltus::Vector<double> x, y;
  const auto             refuses = [](const auto &call) {
    const std::string text = message_of(call);
    EXPECT_TRUE(contains(text, "set up: call reinit() first"));
  };
  refuses([&]() { flow.velocity_space(); });
  refuses([&]() { flow.pressure_space(); });
  refuses([&]() { flow.memory_consumption(); });
  for (const FlowTerm term : all_flow_terms)
    refuses([&]() { apply(flow, term, x, y, y); });
}

TEST_P(FlowTest, BadInputIsRefused)
{
  using Conditions = FlowBoundaryConditions<2>;
  const FlowSetting<2> setting(2), of_degree_9(9);
  const Conditions     all     = all_flow_conditions<2>()[0];
  const auto           message = [&](const DoFHandler<2>     &velocity,
                           const DoFHandler<2>     &pressure,
                           const Conditions        &conditions,
                           const AdditionalData<2> &data) {
    const auto mesh = make_mesh(setting.mapping, velocity.get_triangulation());
    return message_of(
      [&]() { FlowOperators<2>().reinit(mesh, velocity, pressure, conditions, device(), data); });
  };
  EXPECT_EQ(message(setting.velocity, setting.pressure, all, {}), "");

  const auto refuses_spaces =
    [&](const std::string &expected, const DoFHandler<2> &velocity, const DoFHandler<2> &pressure) {
      const std::string text = message(velocity, pressure, all, {});
      EXPECT_TRUE(contains(text, expected));
    };
  const std::string needed = "Incompressible flow needs 2 components of FE_SimplexDGModal";
  refuses_spaces(needed, setting.pressure, setting.velocity);
  refuses_spaces(needed, setting.velocity, of_degree_9.pressure);
  DoFHandler<2> lagrange(setting.triangulation), lagrange_velocity(setting.triangulation);
  lagrange.distribute_dofs(FE_SimplexDGP<2>(2));
  lagrange_velocity.distribute_dofs(FESystem<2>(FE_SimplexDGP<2>(2), 2));
  refuses_spaces("the operators need FE_SimplexDGModal", setting.velocity, lagrange);
  refuses_spaces("the operators need FE_SimplexDGModal", lagrange_velocity, setting.pressure);
  refuses_spaces("with degree 9, only with 1 to 8", of_degree_9.velocity, of_degree_9.pressure);

  const auto refuses = [&](const std::string       &expected,
                           const Conditions        &conditions,
                           const AdditionalData<2> &data = {}) {
    const std::string text = message(setting.velocity, setting.pressure, conditions, data);
    EXPECT_TRUE(contains(text, expected));
  };
  Conditions incomplete, one_component, two_components;
  incomplete.set_slip(0);
  for (unsigned int id = 0; id < 4; ++id)
    {
      one_component.set_velocity(id, Expression(2, "x", 1));
      two_components.set_outflow(id, Expression(2, "1; 2", 2));
    }
  refuses("has no boundary condition", incomplete);
  refuses("the data has 1 components, but 2 are needed", one_component);
  refuses("the data has 2 components, but 1 is needed", two_components);
  refuses("periodic in the boundary conditions, but not on the element mesh",
          periodic_conditions<FlowBoundaryConditions, 2>());
  for (const double backflow : {-0.1, std::numeric_limits<double>::infinity()})
    refuses("The stabilisation against backflow", all, {0, backflow});
}
