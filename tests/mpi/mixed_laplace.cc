// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on meshes that mix triangles and quadrilaterals on several ranks
// against one: products, blocks on the diagonal, the kernel, solutions by CG with p-multigrid.
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/mixed_elliptic.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// What @p work(operator, u) makes of a vector.
  template <typename Work>
  void
  compare(const unsigned int                   degree,
          const EllipticBoundaryConditions<2> &conditions,
          const EllipticCoefficients<2>       &coefficients,
          const Device                         device,
          const Work                          &work,
          const double                         tolerance = 1e-12)
  {
    Triangulation<2> triangulation;
    make_mixed_box(triangulation, 7, conditions.periodic().empty() ? 0.2 : 0.);
    const auto                 mapping = straight_mapping();
    const MixedEllipticSetting setting(triangulation, mapping, degree);
    const auto                 change = [&](const auto &dof_handler, auto &part) {
      const auto A = make_mixed_laplace(mapping, dof_handler, conditions, device, coefficients);
      auto       u = mixed_zeros(*A);
      A->copy_from(u, part);
      work(*A, u);
      A->copy_to(part, u);
    };
    compare_with_one_rank(setting.dof_handler, setting.random_vector(1), tolerance, change);
  }
} // namespace

using MixedLaplaceOnRanks = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(MixedLaplaceOnRanks)

TEST_P(MixedLaplaceOnRanks, Products)
{
  const auto all = all_elliptic_coefficients<2>();
  for (const unsigned int degree : {1, 2, 4})
    for (const bool periodic : {false, true})
      compare(degree,
              all_elliptic_conditions<2>(periodic),
              all[degree],
              device(),
              [](const auto &A, auto &u) {
                auto Au = u;
                A.vmult(Au, u);
                u = Au;
              });
}

TEST_P(MixedLaplaceOnRanks, BlocksOnTheDiagonal)
{
  compare(2,
          all_elliptic_conditions<2>(),
          all_elliptic_coefficients<2>()[2],
          device(),
          [](const auto &A, auto &u) {
            ShapeDiagonal<BlockDiagonal<double>> blocks;
            A.compute_block_diagonal(blocks);
            auto Bu = u;
            blocks.vmult(Bu, u);
            u = Bu;
          });
}

TEST_P(MixedLaplaceOnRanks, Kernel)
{
  EllipticCoefficients<2> coefficients = all_elliptic_coefficients<2>()[0];
  coefficients.reaction                = [](const dealii::Point<2> &) { return 0.; };
  compare(2, neumann_conditions<2>(), coefficients, device(), [](const auto &A, auto &u) {
    EXPECT_TRUE(A.is_singular());
    A.remove_null_space(u);
    auto Au = u;
    A.vmult(Au, u);
    A.set_mean_value(u, 1.5);
    u.add(1., Au);
  });
}

// With all algebraic levels on the first rank, and with the finest of them on all.
TEST_P(MixedLaplaceOnRanks, Solutions)
{
  for (const bool singular : {false, true})
    {
      EllipticCoefficients<2> coefficients = all_elliptic_coefficients<2>()[0];
      if (singular)
        coefficients.reaction = [](const dealii::Point<2> &) { return 0.; };
      PMultigrid<MixedLaplaceOperator<2, float>>::AdditionalData data;
      data.algebraic.aggregation.coarse_size = 10;
      data.algebraic.min_unknowns_per_rank   = singular ? 50000 : 1;
      std::vector<unsigned int> iterations;
      compare(
        2,
        singular ? neumann_conditions<2>() : all_elliptic_conditions<2>(),
        coefficients,
        device(),
        [&](const auto &A, auto &u) {
          PMultigrid<MixedLaplaceOperator<2, float>> multigrid;
          multigrid.initialize(A, data);
          auto b = u;
          if (A.is_singular())
            A.remove_null_space(b);
          u = 0.;
          iterations.push_back(solve_cg(A, u, b, multigrid, {1e-11, 100}).iterations);
          EXPECT_NEAR(iterations.back(), iterations.front(), 1);
          if (A.is_singular())
            A.set_mean_value(u, 0.);
        },
        1e-8);
    }
}
