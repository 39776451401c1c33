// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Preconditioners of the viscous operator: symmetric, positive, and as good as they should be.
#include <deal.II/grid/grid_tools.h>

#include <saltus/operators/blocks/component_transfer.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/solvers/flow/velocity_preconditioner.h>
#include <saltus/solvers/krylov/cg.h>

#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Walls below, and slip walls on all other sides but the right one.
  template <int dim>
  FlowBoundaryConditions<dim>
  channel()
  {
    FlowBoundaryConditions<dim> conditions;
    conditions.set_slip(0);
    conditions.set_outflow(1);
    conditions.set_no_slip(2);
    for (unsigned int id = 3; id < 2 * dim; ++id)
      conditions.set_slip(id);
    return conditions;
  }

  template <int dim>
  struct Problem
  {
    Problem(const FlowSetting<dim>            &setting,
            const FlowBoundaryConditions<dim> &conditions,
            const Device                       device,
            const VelocityPreconditioning      kind,
            const double                       reaction)
    {
      const auto         mesh   = setting.mesh();
      const unsigned int degree = setting.pressure.get_fe().degree;
      A.reinit(mesh, degree, conditions, device, {reaction, 1.});
      const ElementSpace<dim, double> space(mesh, setting.velocity, 2 * degree, 2 * degree, device);
      B.reinit(mesh, {&space}, conditions, {kind, 1.});
      B.set_reaction(reaction);
      u = copied(space, setting.random_velocity(1));
      v = copied(space, setting.random_velocity(2));
    }

    unsigned int
    iterations() const
    {
      auto x = zeros(A);
      return solve_cg<double>(A, x, u, B, {1e-8, 3000}).iterations;
    }

    ViscousOperator<dim>        A;
    VelocityPreconditioner<dim> B;
    Saltus::Vector<double>      u, v;
  };

  class VelocityPreconditionerTest : public OnDevice
  {
  protected:
    template <int dim>
    unsigned int
    iterations(const FlowSetting<dim>       &setting,
               const VelocityPreconditioning kind,
               const double                  reaction) const
    {
      return Problem<dim>(setting, channel<dim>(), device(), kind, reaction).iterations();
    }

    /// With little reaction p-multigrid takes nearly the same iterations for every degree from 2
    /// on, and far fewer than block Jacobi.
    template <int dim>
    void
    compare_degrees(const unsigned int max_degree, const unsigned int n) const
    {
      std::vector<unsigned int> by_multigrid;
      for (unsigned int degree = 2; degree <= max_degree; ++degree)
        {
          const FlowSetting<dim> setting(degree, n);
          by_multigrid.push_back(iterations(setting, VelocityPreconditioning::p_multigrid, 0.1));
          const auto by_blocks = iterations(setting, VelocityPreconditioning::block_jacobi, 0.1);
          std::cout << dim << "D, degree " << degree << ": " << by_blocks
                    << " iterations by block Jacobi, " << by_multigrid.back() << " by p-multigrid"
                    << std::endl;
          EXPECT_LT(5 * by_multigrid.back(), by_blocks);
        }
      const auto [least, most] = std::minmax_element(by_multigrid.begin(), by_multigrid.end());
      EXPECT_LE(*most, 2 * *least);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(VelocityPreconditionerTest)

TEST_P(VelocityPreconditionerTest, IterationsOfAllDegrees)
{
#ifdef DEBUG // with deal.II's assertions the highest degrees take long
  compare_degrees<2>(5, 8);
  compare_degrees<3>(3, 3);
#else
  compare_degrees<2>(8, 8);
  compare_degrees<3>(4, 3);
#endif
}

/// Where the reaction is large the inverse mass matrix suffices.
TEST_P(VelocityPreconditionerTest, LargeReaction)
{
  const FlowSetting<2> setting(4, 8);
  for (const auto kind : {VelocityPreconditioning::inverse_mass,
                          VelocityPreconditioning::block_jacobi,
                          VelocityPreconditioning::p_multigrid})
    EXPECT_LT(iterations(setting, kind, 1e6), 20u);
}

/// The choice changes with the reaction, and is the one with few iterations where it matters.
TEST_P(VelocityPreconditionerTest, ChosenByReaction)
{
  const FlowSetting<2> setting(4, 8);
  using Kind = VelocityPreconditioning;
  Problem<2> problem(setting, channel<2>(), device(), Kind::automatic, 1e6);
  EXPECT_TRUE(problem.B.is_inverse_mass());
  EXPECT_TRUE(problem.B.set_reaction(100.));
  EXPECT_FALSE(problem.B.is_inverse_mass());
  EXPECT_FALSE(problem.B.set_reaction(1e6));
  EXPECT_TRUE(problem.B.is_inverse_mass());
  EXPECT_EQ(iterations(setting, Kind::automatic, 100.),
            iterations(setting, Kind::block_jacobi, 100.));
  EXPECT_LT(iterations(setting, Kind::automatic, 100.),
            0.7 * iterations(setting, Kind::inverse_mass, 100.));
  EXPECT_EQ(iterations(setting, Kind::automatic, 1e6),
            iterations(setting, Kind::inverse_mass, 1e6));
}

TEST_P(VelocityPreconditionerTest, SymmetricAndPositiveWithObliqueWalls)
{
  FlowSetting<2> setting(3, 6);
  GridTools::transform(
    [](const Point<2> &x) { return Point<2>(0.8 * x[0] - 0.6 * x[1], 0.6 * x[0] + 0.8 * x[1]); },
    setting.triangulation);
  for (const auto kind :
       {VelocityPreconditioning::block_jacobi, VelocityPreconditioning::p_multigrid})
    {
      const Problem<2>       problem(setting, channel<2>(), device(), kind, 10.);
      Saltus::Vector<double> Bu = problem.u, Bv = problem.v;
      problem.B.vmult(Bu, problem.u);
      problem.B.vmult(Bv, problem.v);
      expect_symmetric_and_positive(problem.u, problem.v, Bu, Bv, 1e-5);
      EXPECT_LT(problem.iterations(), 500u);
    }
}

TEST_P(VelocityPreconditionerTest, SetUpAnewWhereItMust)
{
  const FlowSetting<2> setting(2);
  Problem<2> problem(setting, channel<2>(), device(), VelocityPreconditioning::block_jacobi, 100.);
  EXPECT_FALSE(problem.B.set_reaction(100.));
  EXPECT_FALSE(problem.B.set_reaction(110.));
  EXPECT_TRUE(problem.B.set_reaction(250.));
  EXPECT_TRUE(problem.B.set_reaction(100.));
  EXPECT_MESSAGE(problem.B.set_reaction(0.), "must be positive");
}

/// What an error has left half done is not used.
TEST_P(VelocityPreconditionerTest, NotSetUpAfterAnError)
{
  const FlowSetting<2> setting(2);
  for (const auto kind :
       {VelocityPreconditioning::block_jacobi, VelocityPreconditioning::p_multigrid})
    {
      Problem<2>             problem(setting, channel<2>(), device(), kind, 100.);
      Saltus::Vector<double> Bu       = problem.u;
      const double           too_much = 1e300; // for single precision
      EXPECT_ANY_THROW(problem.B.set_reaction(too_much));
      EXPECT_MESSAGE(problem.B.vmult(Bu, problem.u), "not set up");
      EXPECT_ANY_THROW(problem.B.set_reaction(too_much));
      EXPECT_TRUE(problem.B.set_reaction(100.));
      problem.B.vmult(Bu, problem.u);
      EXPECT_GT(Bu * problem.u, 0.);
    }
}

TEST_P(VelocityPreconditionerTest, Components)
{
  const FlowSetting<3>          setting(2);
  const ElementSpace<3, double> space(setting.mesh(), setting.velocity, 4, 4, device());
  const auto                    u = copied(space, setting.random_velocity(3));
  Saltus::Vector<double>        v = space.make_vector(), w = v;
  Saltus::Vector<double>        part(space.layout(space.reference.n_modes, 1));
  Saltus::Vector<float>         rounded(part.layout());
  for (unsigned int c = 0; c < 3; ++c)
    {
      extract_component(part, u, c);
      insert_component(v, part, c);
      extract_component(rounded, u, c);
      insert_component(w, rounded, c);
    }
  EXPECT_EQ(v.max_difference(u), 0.);
  EXPECT_LT(w.max_difference(u), 1e-7);
  EXPECT_GT(w.max_difference(u), 0.);
  EXPECT_MESSAGE(extract_component(part, u, 3), "component 3");
}
