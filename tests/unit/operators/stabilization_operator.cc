// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The stabilization operator against an assembly with deal.II, and what it does to a flow.
#include <saltus/operators/flow/stabilization_operator.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/solvers/flow/incompressible_flow.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/stabilization_assembly.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class StabilizationTest : public OnDevice
  {
  protected:
    template <int dim>
    struct Operator : public VelocityOperator<dim, StabilizationOperator<dim>>
    {
      /// @param of_mesh see Box::mesh()
      template <typename Setting, typename... OfMesh>
      Operator(const Setting                       &setting,
               const std::vector<PeriodicBoundary> &periodic,
               const Device                         device,
               const StabilizationWeights          &weights,
               const dealii::Vector<double>        &w,
               const OfMesh &...of_mesh)
        : VelocityOperator<dim, StabilizationOperator<dim>>(setting.mesh(periodic, of_mesh...),
                                                            setting.velocity,
                                                            device)
      {
        constexpr double dt = 0.4;
        this->A.reinit(this->mesh,
                       this->degree,
                       device,
                       {weights.divergence / dt, weights.jumps / dt});
        this->A.set_penalties(copied(this->space, w), dt);
      }
    };

    template <int dim>
    void
    compare_with_assembly(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        for (const StabilizationWeights weights : {StabilizationWeights{3., 0.},
                                                   StabilizationWeights{0., 2.},
                                                   StabilizationWeights{3., 2.}})
          {
            SCOPED_TRACE("degree " + std::to_string(degree));
            const FlowSetting<dim>        setting(degree);
            std::vector<PeriodicBoundary> periodic;
            if (degree % 2 == 0)
              periodic.push_back({0, 1});
            const auto u = setting.random_velocity(1), w = setting.random_velocity(2);
            const auto expected = assembled_stabilization(setting, periodic, weights, u, w);
            for (const unsigned int rounds : {max_matching_rounds, 0u})
              EXPECT_LT(relative_difference(
                          Operator<dim>(setting, periodic, device(), weights, w, rounds).vmult(u),
                          expected),
                        1e-11);
          }
    }

    template <int dim>
    void
    compare_hypercubes(const unsigned int degree, const Cells cells) const
    {
      SCOPED_TRACE("degree " + std::to_string(degree));
      const FlowHypercubes<dim> setting(degree, cells);
      const auto                u = setting.random_velocity(1), w = setting.random_velocity(2);
      for (const StabilizationWeights weights : {StabilizationWeights{3., 0.},
                                                 StabilizationWeights{0., 2.},
                                                 StabilizationWeights{3., 2.}})
        EXPECT_LT(relative_difference(Operator<dim>(setting, {}, device(), weights, w).vmult(u),
                                      assembled_stabilization(setting, {}, weights, u, w)),
                  1e-11);
    }

    /// Elements that are declared another kind, and served by the general kernel, change nothing.
    template <int dim>
    void
    compare_kinds(const unsigned int degree) const
    {
      const FlowSetting<dim> setting(degree, dim == 2 ? 8 : 4, Vertices::shuffled);
      const auto             u = setting.random_velocity(1), w = setting.random_velocity(2);
      for (const StabilizationWeights weights : {StabilizationWeights{3., 0.},
                                                 StabilizationWeights{0., 2.},
                                                 StabilizationWeights{3., 2.}})
        {
          const auto product = [&](const typename ElementOrder<dim>::Kinds &kinds,
                                   const unsigned int rounds = max_matching_rounds) {
            return Operator<dim>(setting, {{0, 1}}, device(), weights, w, rounds, kinds).vmult(u);
          };
          const auto expected = product({});
          EXPECT_LT(relative_difference(product(some_are_stored<dim>), expected), 1e-12);
          EXPECT_LT(relative_difference(product(some_are_stored<dim>, 0), expected), 1e-12);
          EXPECT_LT(relative_difference(product(all_are_stored<dim>), expected), 1e-12);
        }
    }

    template <int dim>
    void
    compare_curved(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          SCOPED_TRACE("degree " + std::to_string(degree));
          const CurvedFlowSetting<dim> setting(degree);
          const StabilizationWeights   weights{3., 2.};
          const auto          u = setting.random_velocity(1), w = setting.random_velocity(2);
          const Operator<dim> op(setting, {}, device(), weights, w);
          EXPECT_LT(relative_difference(op.vmult(u),
                                        assembled_stabilization(setting, {}, weights, u, w)),
                    1e-11);
        }
    }

    /// Vortices with little viscosity in a periodic box, on a mesh that is too coarse for them.
    struct Vortices
    {
      Vortices(const FlowSetting<2> &setting,
               const std::string    &velocity,
               const double          penalty,
               const Device          device)
      {
        const auto conditions = periodic_conditions<FlowBoundaryConditions, 2>();
        IncompressibleFlow<2>::AdditionalData data;
        data.viscosity          = 1e-4;
        data.subcycle_cfl       = 1.;
        data.divergence_penalty = data.continuity_penalty = penalty;
        flow.reinit(setting.mesh(conditions.periodic()),
                    setting.velocity,
                    setting.pressure,
                    conditions,
                    device,
                    data);
        flow.set_state(0., Expression(2, velocity, 2), {});
      }

      IncompressibleFlow<2> flow;
    };

    /// @return the integrals of squares of divergence and of jumps after a few steps
    std::pair<double, double>
    squares(const double penalty) const
    {
      const FlowSetting<2> setting(2, 8);
      Vortices vortices(setting, "-sin(6*pi*y)+1; sin(6*pi*x)+cos(4*pi*x)", penalty, device());
      for (unsigned int step = 0; step < 20; ++step)
        EXPECT_EQ(vortices.flow.step(0.001).stabilization.residuals.empty(), penalty == 0.);
      const auto u =
        to_dealii(vortices.flow.operators().velocity_space(), vortices.flow.velocity());
      dealii::Vector<double> one(u.size());
      for_entries(setting.velocity, [&](const auto i, const auto, const auto m, const auto c) {
        one(i) = m == 0 && c == 0;
      });
      const auto square = [&](const StabilizationWeights &weights) {
        return assembled_stabilization(setting, {{0, 1}, {2, 3}}, weights, u, one) * u;
      };
      return {square({1., 0., 0.}), square({0., 1., 0.})};
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(StabilizationTest)

TEST_P(StabilizationTest, Triangles)
{
  compare_with_assembly<2>(max_assembled_degree<2>);
}

TEST_P(StabilizationTest, Tetrahedra)
{
  compare_with_assembly<3>(max_assembled_degree<3>);
}

TEST_P(StabilizationTest, RangesOfTwoKinds)
{
  compare_kinds<2>(3);
  compare_kinds<3>(2);
}

TEST_P(StabilizationTest, SymmetricAndPositive)
{
  const FlowSetting<3> setting(2);
  const Operator<3>    op(setting, {{0, 1}}, device(), {1e3, 1e3}, setting.random_velocity(2));
  const auto           u = setting.random_velocity(3), v = setting.random_velocity(4);
  expect_symmetric_and_positive(u, v, op.vmult(u), op.vmult(v));
}

/// A continuous velocity without divergence has no penalty.
TEST_P(StabilizationTest, ConsistentForExactVelocities)
{
  const FlowSetting<2>   setting(3);
  const Operator<2>      op(setting, {}, device(), {5., 5.}, setting.random_velocity(2));
  Saltus::Vector<double> moments = op.space.make_vector(), u = moments, Au = moments, Mu = moments;
  FunctionMoments<2, double>(op.space, Expression(2, "x*x+y*y*y; -2*x*y+x*x*x", 2), "velocity")
    .add(moments, 0.);
  ElementMass<2, double>(op.space).inverse().vmult(u, moments);
  op.A.vmult(Au, u);
  op.A.mass_vmult(Mu, u);
  EXPECT_LT(Mu.max_difference(moments), 1e-13 * moments.linfty_norm());
  EXPECT_LT(Au.max_difference(Mu), 1e-12 * Mu.linfty_norm());
}

TEST_P(StabilizationTest, LessDivergenceAndJumps)
{
  const auto without = squares(0.), with = squares(1.);
  EXPECT_LT(with.first, 0.2 * without.first);
  EXPECT_LT(with.second, 0.2 * without.second);
}

/// What penalties change is extrapolated from steps that follow each other, also if their lengths
/// differ a little, but not beyond a time at which none ended.
TEST_P(StabilizationTest, FewerIterationsByExtrapolation)
{
  const FlowSetting<2> setting(3, 12);
  Vortices             vortices(setting, "-sin(2*pi*y)+1; sin(2*pi*x)", 1., device());
  auto                &flow = vortices.flow;
  const auto iterations = [&](const double dt) { return flow.step(dt).stabilization.iterations; };
  for (const double dt : {0.005, 0.005, 0.005, 0.005, 0.0049, 0.0049})
    iterations(dt);
  const unsigned int extrapolated = iterations(0.005);
  const auto         velocity = flow.velocity(), pressure = flow.pressure();
  flow.set_state(flow.time() + 0.001, velocity, pressure);
  EXPECT_LT(2 * extrapolated, iterations(0.005));
}

/// Without penalties the same flow grows until its steps are refused.
TEST_P(StabilizationTest, KeepsUnderResolvedFlowsStable)
{
  const FlowSetting<2> setting(4);
  const auto           run = [&](const double penalty) {
    Vortices vortices(setting, "-sin(2*pi*y)+1; sin(2*pi*x)", penalty, device());
    for (unsigned int step = 0; step < 60; ++step)
      vortices.flow.step(0.02);
    return vortices.flow.velocity().linfty_norm();
  };
  EXPECT_LT(run(1.), 1.5);
  EXPECT_MESSAGE(run(0.), "has the CFL number");
}

TEST(StabilizationOperator, CallsBeforeReinit)
{
  const StabilizationOperator<2> A;
  Saltus::Vector<double>         x;
  for (const auto &call : {std::function<void()>([&]() { A.initialize_vector(x); }),
                           std::function<void()>([&]() { A.m(); }),
                           std::function<void()>([&]() { A.vmult(x, x); }),
                           std::function<void()>([&]() { A.flops(); }),
                           std::function<void()>([&]() { A.memory_consumption(); })})
    EXPECT_NE(message_of(call), "");
  EXPECT_EQ(message_of([&]() { A.m(); }),
            "The stabilization operator is not set up: call reinit() first.");
}

TEST_P(StabilizationTest, Messages)
{
  const FlowSetting<2> setting(2);
  Operator<2>          op(setting, {}, device(), {1., 1.}, setting.random_velocity(2));
  auto                 x = zeros(op.A);
  EXPECT_MESSAGE(op.A.vmult(x, x), "in place");
  EXPECT_MESSAGE(op.A.set_penalties(x, -1.), "not be negative");
  EXPECT_MESSAGE(op.A.reinit(op.mesh, 2, device(), {-1., 1.}), "not negative");
}

TEST_P(StabilizationTest, CurvedElements)
{
  compare_curved<2>(4);
  compare_curved<3>(2);
}

TEST_P(StabilizationTest, Quadrilaterals)
{
  for (unsigned int degree = 1; degree <= 7; ++degree)
    for (const Cells cells :
         {Cells::parallelepipeds, Cells::distorted, Cells::turned, Cells::refined})
      compare_hypercubes<2>(degree, cells);
}

TEST_P(StabilizationTest, Hexahedra)
{
  for (unsigned int degree = 1; degree <= 3; ++degree)
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
      compare_hypercubes<3>(degree, cells);
  compare_hypercubes<3>(5, Cells::distorted);
}
