// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Operators of incompressible flow on meshes that mix triangles and quadrilaterals, straight and
// curved, against assemblies with deal.II.
#include <saltus/operators/flow/flow_quadrature.h>
#include <saltus/operators/flow/mixed_flow_fields.h>
#include <saltus/operators/flow/mixed_stabilization_operator.h>
#include <saltus/operators/flow/mixed_viscous_operator.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/mixed_elliptic.h>
#include <helpers/mixed_flow.h>
#include <helpers/on_device.h>
#include <helpers/stabilization_assembly.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double some_time = 0.7, reaction = 0.6;

  using Conditions = FlowBoundaryConditions<2>;
  using Blocks     = Saltus::BlockVector<double>;
  using Update     = FlowUpdate<double, Blocks>;
  using Sum        = VectorSum<double, Blocks>;

  /// A ring in which fluid comes in and leaves.
  Conditions
  ring_conditions()
  {
    Conditions conditions;
    conditions.set_velocity(0, Expression(2, "cos(x+2*y)*(1+t); y-x*t", 2));
    conditions.set_outflow(1, Expression(2, "1+x*y-sin(x+t)", 1));
    return conditions;
  }

  class MixedFlowTest : public OnDevice
  {
  protected:
    static Update
    as_form()
    {
      Update update;
      update.times_mass = true;
      return update;
    }

    void
    compare_with_assembly(const MixedFlowSetting &setting, const Conditions &conditions) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.degree()));
      const auto u = setting.random_velocity(1), w = setting.random_velocity(2),
                 p    = setting.random_pressure(3);
      const auto flow = make_mixed_flow(setting, conditions, device(), 0.4);
      const FlowAssembly<2, MixedFlowSetting> assembly(
        setting,
        conditions,
        {0, 0.4},
        linear_degree(*setting.meshes(conditions.periodic())[0], setting.degree()));
      const BlockSpaces velocity(flow, true), pressure(flow, false);
      for (const FlowTerm term : all_flow_terms)
        {
          SCOPED_TRACE(to_string(term));
          auto dst = term == FlowTerm::divergence ? flow.make_pressure() : flow.make_velocity();
          apply(flow,
                term,
                dst,
                input(term, velocity, pressure).copied(input(term, u, p)),
                velocity.copied(w),
                some_time,
                as_form());
          EXPECT_LT(
            relative_difference(output(term, velocity, pressure).to_dealii(dst),
                                assembly.apply(term, some_time, input(term, u, p), w, true)),
            1e-11);
        }
    }

    /// With LaplaceOperator, which has an assembly of its own, for each component.
    void
    compare_viscous(const MixedFlowSetting &setting, const Conditions &conditions) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.degree()));
      const auto              meshes = setting.meshes(conditions.periodic());
      const auto              flow   = make_mixed_flow(setting, conditions, device());
      const BlockSpaces       velocity(flow, true);
      MixedViscousOperator<2> A;
      A.reinit(meshes, setting.degree(), conditions, device(), {reaction, 1.3});
      const auto u = setting.random_velocity(1), v = setting.random_velocity(2);
      auto       of_component        = MixedViscousOperator<2>::Component::AdditionalData();
      of_component.reaction          = reaction;
      of_component.penalty_factor    = 1.3;
      of_component.quadrature_degree = linear_degree(*meshes[0], setting.degree());
      Modes expected                 = modes_of_cells(setting.velocity, u);
      for (unsigned int c = 0; c < 2; ++c)
        {
          std::set<types::boundary_id> walls;
          for (const auto &[id, condition] : conditions.conditions())
            if (condition.kind == FlowBoundary::slip && id / 2 == c)
              walls.insert(id);
          MixedLaplaceOperator<2> component;
          component.reinit(
            meshes, setting.pressure, conditions.of_component(walls), device(), of_component);
          Modes modes = expected;
          for (auto &of_cell : modes)
            for (auto &mode : of_cell)
              mode[0] = mode[c];
          modes = modes_of_cells(setting.pressure,
                                 mixed_vmult(component, vector_of_modes(setting.pressure, modes)));
          for (unsigned int e = 0; e < modes.size(); ++e)
            for (unsigned int m = 0; m < modes[e].size(); ++m)
              expected[e][m][c] = modes[e][m][0];
        }
      const auto product = [&](const auto &x) {
        auto dst = velocity.copied(x);
        A.vmult(dst, velocity.copied(x));
        return velocity.to_dealii(dst);
      };
      const auto Au = product(u);
      EXPECT_LT(relative_difference(Au, vector_of_modes(setting.velocity, expected)), 1e-12);
      expect_symmetric_and_positive(u, v, Au, product(v));
      auto sum = velocity.copied(v);
      A.vmult_add(sum, velocity.copied(u));
      auto of_sum = velocity.to_dealii(sum);
      of_sum -= v;
      EXPECT_LT(relative_difference(of_sum, Au), 1e-12);
    }

    void
    compare_stabilization(const MixedFlowSetting &setting) const
    {
      SCOPED_TRACE("degree " + std::to_string(setting.degree()));
      constexpr double dt = 0.4;
      const auto       u = setting.random_velocity(1), w = setting.random_velocity(2);
      Conditions       conditions;
      for (const unsigned int id : {0, 1, 2, 3})
        conditions.set_no_slip(id);
      const auto        flow = make_mixed_flow(setting, conditions, device());
      const BlockSpaces velocity(flow, true);
      for (const StabilizationWeights weights : {StabilizationWeights{3., 0.},
                                                 StabilizationWeights{0., 2.},
                                                 StabilizationWeights{3., 2.}})
        {
          MixedStabilizationOperator<2> A;
          A.reinit(setting.meshes(),
                   setting.degree(),
                   device(),
                   {weights.divergence / dt, weights.jumps / dt});
          A.set_penalties(velocity.copied(w), dt);
          auto dst = velocity.copied(u);
          A.vmult(dst, velocity.copied(u));
          EXPECT_LT(relative_difference(velocity.to_dealii(dst),
                                        assembled_stabilization(setting, {}, weights, u, w)),
                    1e-11);
          A.mass_vmult(dst, velocity.copied(u));
          EXPECT_LT(relative_difference(velocity.to_dealii(dst),
                                        assembled_stabilization(setting, {}, {0., 0.}, u, w)),
                    1e-11);
        }
    }

    using Modes = std::vector<std::vector<Tensor<1, 2>>>;

    /// Call @p body(triangulation, mapping) for a box of distorted cells.
    template <typename Body>
    static void
    on_box(const Body &body, const unsigned int n = 5, const double distortion = 0.2)
    {
      Triangulation<2> triangulation;
      make_mixed_box(triangulation, n, distortion, far_corner<2>(distortion == 0. ? 0. : 0.25));
      body(triangulation, straight_mapping());
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(MixedFlowTest)

TEST_P(MixedFlowTest, DistortedCells)
{
  on_box([&](const auto &triangulation, const auto &mapping) {
    for (const unsigned int degree : {1, 2, 3, 4, 5})
      for (const auto &conditions : all_flow_conditions<2>())
        compare_with_assembly({triangulation, mapping, degree}, conditions);
  });
}

TEST_P(MixedFlowTest, Periodic)
{
  on_box(
    [&](const auto &triangulation, const auto &mapping) {
      for (const auto &conditions : all_flow_conditions<2>(true))
        {
          compare_with_assembly({triangulation, mapping, 3}, conditions);
          compare_viscous({triangulation, mapping, 3}, conditions);
        }
    },
    4,
    0.);
}

TEST_P(MixedFlowTest, CurvedRing)
{
  const Ring ring;
  for (const unsigned int degree : {1, 2, 3, 4})
    {
      const MixedFlowSetting setting(ring.triangulation, *ring.mapping, degree);
      compare_with_assembly(setting, ring_conditions());
      compare_viscous(setting, ring_conditions());
      compare_stabilization(setting);
    }
}

TEST_P(MixedFlowTest, ViscousOperator)
{
  on_box([&](const auto &triangulation, const auto &mapping) {
    for (const unsigned int degree : {1, 2, 3, 5})
      for (const auto &conditions : all_flow_conditions<2>())
        compare_viscous({triangulation, mapping, degree}, conditions);
  });
}

TEST_P(MixedFlowTest, Stabilization)
{
  on_box([&](const auto &triangulation, const auto &mapping) {
    for (const unsigned int degree : {1, 2, 3, 4})
      compare_stabilization({triangulation, mapping, degree});
  });
}

// (u, grad p) = -(div u, p) without data, for pressures of the same degree and of one less.
TEST_P(MixedFlowTest, GradientIsAdjointOfDivergence)
{
  const auto compare = [&](const MixedFlowSetting &setting, const Conditions &conditions) {
    const auto flow     = make_mixed_flow(setting, conditions, device());
    const auto u        = BlockSpaces(flow, true).copied(setting.random_velocity(1));
    const auto p        = BlockSpaces(flow, false).copied(setting.random_pressure(2));
    auto       gradient = u, divergence = p;
    flow.gradient(gradient, p, {}, as_form());
    flow.divergence(divergence, u, {}, as_form());
    EXPECT_NEAR(u * gradient, -(divergence * p), 1e-12 * u.l2_norm() * gradient.l2_norm());
    EXPECT_GT(std::abs(u * gradient), 1e-6 * u.l2_norm() * gradient.l2_norm());
  };
  const Ring ring;
  for (const unsigned int degree : {2, 4})
    for (const unsigned int of_pressure : {degree, degree - 1})
      {
        on_box([&](const auto &triangulation, const auto &mapping) {
          compare({triangulation, mapping, degree, of_pressure}, all_flow_conditions<2>()[0]);
        });
        compare({ring.triangulation, *ring.mapping, degree, of_pressure}, ring_conditions());
      }
}

// Of sums that are not formed, with all that can be made of the result.
TEST_P(MixedFlowTest, SumsAndUpdates)
{
  on_box([&](const auto &triangulation, const auto &mapping) {
    const MixedFlowSetting setting(triangulation, mapping, 3);
    const auto             flow = make_mixed_flow(setting, all_flow_conditions<2>()[0], device());
    const BlockSpaces      velocity(flow, true), pressure(flow, false);
    const auto             u1 = velocity.copied(setting.random_velocity(1)),
               u2             = velocity.copied(setting.random_velocity(2)),
               p1             = pressure.copied(setting.random_pressure(3)),
               p2             = pressure.copied(setting.random_pressure(4));
    flow.update_velocity_ghosts(u2);
    for (const FlowTerm term : all_flow_terms)
      {
        SCOPED_TRACE(to_string(term));
        const auto &x1 = input(term, u1, p1), &x2 = input(term, u2, p2);
        auto        u = x1, w = u1;
        u.sadd(2., -1., x2);
        w.sadd(0.5, 3., u2);
        auto       dst = output(term, u1, p1), expected = dst, s = dst;
        const auto base = output(term, u2, p2);
        apply(flow, term, expected, u, w, some_time);
        expected.sadd(0.5 * 0.7, 0.5 * -0.4, s);
        expected.add(1., base);
        apply(flow,
              term,
              dst,
              Sum({{2., &x1}, {-1., &x2}}),
              Sum({{0.5, &u1}, {3., &u2, true}}),
              some_time,
              Update{base, 0.7, false, &s, -0.4, 0.5});
        EXPECT_LT(dst.max_difference(expected), 1e-12 * expected.linfty_norm());
      }
  });
}

// Where the velocity is 2 in the direction of x.
TEST_P(MixedFlowTest, RatesAndFields)
{
  on_box([&](const auto &triangulation, const auto &mapping) {
    const MixedFlowSetting setting(triangulation, mapping, 2);
    Conditions             conditions;
    for (const unsigned int id : {0, 1, 2, 3})
      conditions.set_outflow(id);
    const auto flow = make_mixed_flow(setting, conditions, device());
    auto       u    = flow.make_velocity();
    double     rate = 0.;
    for (unsigned int i = 0; i < flow.n_parts(); ++i)
      {
        FunctionMoments<2, double>(flow.part(i).velocity_space(), Expression(2, "2; 0", 2), "u")
          .project(u.block(i), 0.);
        rate = std::max(rate, flow.part(i).convection_rate(u.block(i)));
      }
    EXPECT_EQ(flow.convection_rate(u), rate);
    const auto   rates  = flow.outflow_rates(u);
    const double height = far_corner<2>(0.25)[1];
    EXPECT_NEAR(rates.out, 2. * height, 1e-12);
    EXPECT_NEAR(rates.in, 2. * height, 1e-12);

    const MixedFlowFields<2> fields(setting.meshes(), 2, device());
    auto                     values = fields.make_vector();
    fields.evaluate(values, u, flow.make_pressure());
    const FlowIntegrals integrals = fields.integrals(values);
    const double        volume    = far_corner<2>(0.25)[0] * height;
    EXPECT_NEAR(integrals.kinetic_energy, 2. * volume, 1e-12);
    EXPECT_NEAR(integrals.enstrophy, 0., 1e-12);
    EXPECT_NEAR(integrals.divergence_norm, 0., 1e-11);
  });
}

TEST(MixedFlow, NotSetUp)
{
  const MixedFlowOperators<2>         flow;
  const MixedViscousOperator<2>       viscous;
  const MixedStabilizationOperator<2> stabilization;
  Blocks                              u, v;
  const std::string                   message = "is not set up: call reinit() first";
  EXPECT_MESSAGE(flow.convection(v, u), message);
  EXPECT_MESSAGE(viscous.vmult(v, u), message);
  EXPECT_MESSAGE(stabilization.vmult(v, u), message);
}
