// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on curved elements, on several ranks against one: products,
// residuals with data and sweeps with blocks, solutions by multigrid.
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <helpers/curved_box.h>
#include <helpers/elliptic_setting.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class CurvedLaplaceOnRanks : public OnDevice
  {
  protected:
    /// What @p work(operator, x) makes of a vector: on one rank, and on all.
    template <int dim, typename Work>
    void
    compare(const unsigned int               degree,
            const EllipticCoefficients<dim> &coefficients,
            const bool                       periodic,
            const double                     tolerance,
            const Work                      &work) const
    {
      const CurvedBox<dim> box(dim == 2 ? 5 : 3,
                               periodic ? bump_inside<dim>() : bump_at_side<dim>(),
                               2);
      DoFHandler<dim> dof_handler(box.triangulation);
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
      const auto conditions = all_elliptic_conditions<dim>(periodic);
      const auto change     = [&](const auto &dof_handler, auto &part) {
        LaplaceOperator<dim> A;
        A.reinit(make_curved_mesh(box.mapping,
                                  dof_handler.get_triangulation(),
                                  box.map_degree,
                                  conditions.periodic()),
                 dof_handler,
                 conditions,
                 device(),
                 coefficients.template data<double>());
        EXPECT_TRUE(A.element_space().geometry.has_curved_elements);
        auto x = zeros(A);
        A.copy_from(x, part);
        work(A, x);
        A.copy_to(part, x);
      };
      compare_with_one_rank(dof_handler, random_vector(dof_handler.n_dofs(), 1), tolerance, change);
    }
  };

  template <int dim>
  FieldFunction<dim>
  source()
  {
    return {Expression(dim, "sin(3*x)*cos(2*y)", 1)};
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(CurvedLaplaceOnRanks)

TEST_P(CurvedLaplaceOnRanks, Products)
{
  const auto product = [](const auto &A, auto &x) {
    auto y = x;
    A.vmult(y, x);
    x = y;
  };
  for (const bool periodic : {false, true})
    {
      compare<2>(3, all_elliptic_coefficients<2>()[3], periodic, 1e-11, product);
      compare<2>(1, all_elliptic_coefficients<2>()[0], periodic, 1e-11, product);
      compare<3>(2, all_elliptic_coefficients<3>()[2], periodic, 1e-11, product);
    }
}

/// Residual with a right-hand side from data, then a sweep with the inverse blocks.
TEST_P(CurvedLaplaceOnRanks, RightHandSideAndBlocks)
{
  const auto step = [](const auto &A, auto &x) {
    constexpr int dim = std::decay_t<decltype(A)>::dimension;
    auto          b = x, r = x;
    A.right_hand_side(b, source<dim>());
    A.compute_residual(r, x, b);
    BlockDiagonal<double> blocks;
    A.compute_block_diagonal(blocks);
    blocks.invert();
    blocks.vmult(b, r);
    x += b;
  };
  compare<2>(3, all_elliptic_coefficients<2>()[2], false, 1e-10, step);
  compare<3>(2, all_elliptic_coefficients<3>()[0], true, 1e-10, step);
}

/// The same solution after the same number of iterations.
TEST_P(CurvedLaplaceOnRanks, Multigrid)
{
  std::vector<unsigned int> iterations;
  compare<2>(4, all_elliptic_coefficients<2>()[0], false, 1e-8, [&](const auto &A, auto &x) {
    auto b = x;
    A.right_hand_side(b, source<2>());
    PMultigrid<LaplaceOperator<2, double>> multigrid;
    multigrid.initialize(A, {});
    x = 0.;
    iterations.push_back(solve_cg(A, x, b, multigrid, {1e-10, 100}).iterations);
  });
  for (const unsigned int n : iterations)
    EXPECT_NEAR(n, iterations[0], 1);
}
