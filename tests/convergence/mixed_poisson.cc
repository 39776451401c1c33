// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Poisson problems on meshes that mix triangles and quadrilaterals, straight and curved, solved by
// CG with p-multigrid: errors fall like h^(p+1), in few iterations on all meshes.
#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/error_table.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/mixed_elliptic.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <typename Number>
  using Multigrid = PMultigrid<MixedLaplaceOperator<2, Number>>;

  FieldFunction<2>
  function(const std::string &text)
  {
    return {Expression(2, text, 1)};
  }

  struct Result
  {
    double       error;
    unsigned int iterations;
  };

  class MixedPoisson : public OnDevice
  {
  protected:
    template <typename Number>
    unsigned int
    solve(const MixedLaplaceOperator<2>                    &A,
          Saltus::BlockVector<double>                      &x,
          Saltus::BlockVector<double>                      &b,
          const typename Multigrid<Number>::AdditionalData &data    = {},
          const CGVariant                                   variant = CGVariant::standard) const
    {
      Multigrid<Number> multigrid;
      multigrid.initialize(A, data);
      A.initialize_vector(x);
      if (A.is_singular())
        A.remove_null_space(b);
      const auto report =
        solve_cg(A, x, b, multigrid, {1e-11, 100, SolutionCheck::tolerant}, variant);
      EXPECT_LT(report.reduction, 1e-10);
      return report.iterations;
    }

    /// With the solution sin(3 x) exp(y).
    Result
    solve(const Triangulation<2>              &triangulation,
          const Mapping<2>                    &mapping,
          const unsigned int                   degree,
          const EllipticBoundaryConditions<2> &conditions) const
    {
      const MixedEllipticSetting setting(triangulation, mapping, degree);
      MixedLaplaceOperator<2>    A;
      A.reinit(mapping, setting.dof_handler, conditions, device());
      Saltus::BlockVector<double> x, b;
      A.right_hand_side(b, function("8*sin(3*x)*exp(y)"));
      const unsigned int n       = solve<float>(A, x, b);
      const auto         on_host = solution_vector(setting.dof_handler, A, x);
      return {
        l2_error(mapping, setting.dof_handler, on_host, Expression(2, "sin(3*x)*exp(y)", 1), 0.),
        n};
    }

    /// @param solve_on `(n)`: on a mesh with n cells in a row
    template <typename Solve>
    static void
    expect_rate(const unsigned int degree, const unsigned int n, const Solve &solve_on)
    {
      const Result coarse = solve_on(n), fine = solve_on(2 * n);
      const double rate = std::log2(coarse.error / fine.error);
      std::cout << "p = " << degree << ": L2 error " << fine.error << ", rate " << rate << "; "
                << coarse.iterations << ", " << fine.iterations << " iterations" << std::endl;
      EXPECT_GT(rate, degree + 0.75);
      EXPECT_LE(fine.iterations, 22);
      EXPECT_LE(fine.iterations, coarse.iterations + 4);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(MixedPoisson)

TEST_P(MixedPoisson, Square)
{
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  conditions.set_neumann(1, function("3*cos(3*x)*exp(y)"));
  conditions.set_robin(2, 2., function("sin(3*x)"));
  conditions.set_dirichlet(3, function("sin(3*x)*exp(y)"));
  const auto mapping = straight_mapping();
  for (unsigned int degree = 1; degree <= 5; ++degree)
    expect_rate(degree, degree <= 3 ? 10 : 5, [&](const unsigned int n) {
      Triangulation<2> triangulation;
      make_mixed_box(triangulation, n, 0.15, far_corner<2>());
      return solve(triangulation, mapping, degree, conditions);
    });
}

TEST_P(MixedPoisson, CurvedRing)
{
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0, function("sin(3*x)*exp(y)"));
  conditions.set_neumann(1, function("(3*x*cos(3*x)+y*sin(3*x))*exp(y)/1.6"));
  for (unsigned int degree = 1; degree <= 3; ++degree)
    expect_rate(degree, 2, [&](const unsigned int n) {
      const Ring ring(n, 12 * n);
      return solve(ring.triangulation, *ring.mapping, degree, conditions);
    });
}

// The solution is determined up to a constant.
TEST_P(MixedPoisson, Neumann)
{
  const auto mapping = straight_mapping();
  for (const unsigned int degree : {1, 4})
    {
      Triangulation<2> triangulation;
      make_mixed_box(triangulation, 10, 0.15);
      const MixedEllipticSetting setting(triangulation, mapping, degree);
      MixedLaplaceOperator<2>    A;
      A.reinit(mapping, setting.dof_handler, neumann_conditions<2>(), device());
      Saltus::BlockVector<double> x, b;
      A.right_hand_side(b, function("cos(3*x)*y"));
      EXPECT_LE(solve<float>(A, x, b), 22);
      EXPECT_LE(solve<double>(A, x, b), 22);
    }
}

// Layers of quadrilaterals along a wall, smoothed along lines: the first stretched 100:1, the last
// nearly as thick as the triangles beyond.
TEST_P(MixedPoisson, LayersAtWall)
{
  const auto mapping = straight_mapping();
  for (const unsigned int degree : {1, 3})
    for (const unsigned int n : {8, 16})
      {
        std::vector<Point<2>>    vertices;
        std::vector<CellData<2>> cells;
        double                   y = 0.;
        for (unsigned int j = 0; j <= 2 * n; ++j)
          {
            for (unsigned int i = 0; i <= n; ++i)
              vertices.emplace_back(i * 1. / n, y);
            y += (j < n ? std::pow(0.01, 1. - j * 1. / n) : 1.) / n;
          }
        const auto add = [&](const std::vector<unsigned int> &corners) {
          cells.emplace_back(corners.size());
          cells.back().vertices = corners;
        };
        for (unsigned int j = 0; j < 2 * n; ++j)
          for (unsigned int i = 0; i < n; ++i)
            {
              const unsigned int v = j * (n + 1) + i, above = v + n + 1;
              if (j < n)
                add({v, v + 1, above, above + 1});
              else
                {
                  add({v, v + 1, above});
                  add({v + 1, above + 1, above});
                }
            }
        Triangulation<2> triangulation;
        triangulation.create_triangulation(vertices, cells, SubCellData());
        EllipticBoundaryConditions<2> conditions;
        conditions.set_dirichlet(0);
        const MixedEllipticSetting setting(triangulation, mapping, degree);
        MixedLaplaceOperator<2>    A;
        A.reinit(mapping, setting.dof_handler, conditions, device());
        Saltus::BlockVector<double> x, b;
        A.right_hand_side(b, function("sin(3*x)*cos(2*y)"));
        const unsigned int iterations = solve<float>(A, x, b);
        std::cout << "p = " << degree << ", " << n << " layers: " << iterations << " iterations"
                  << std::endl;
        EXPECT_LE(iterations, 22);
      }
}

// A symmetric operator; with K cycles one that varies.
TEST_P(MixedPoisson, Cycles)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 10, 0.15);
  const auto                 mapping = straight_mapping();
  const MixedEllipticSetting setting(triangulation, mapping, 3);
  const auto                 A = make_mixed_laplace(mapping,
                                    setting.dof_handler,
                                    all_elliptic_conditions<2>(),
                                    device(),
                                    all_elliptic_coefficients<2>()[1]);
  Multigrid<double>          multigrid;
  multigrid.initialize(*A, {});
  auto x = mixed_zeros(*A), y = x, Bx = x, By = x;
  A->copy_from(x, setting.random_vector(1));
  A->copy_from(y, setting.random_vector(2));
  multigrid.vmult(Bx, x);
  multigrid.vmult(By, y);
  expect_symmetric_and_positive(x, y, Bx, By);

  Multigrid<double>::AdditionalData data;
  data.algebraic.cycle = AlgebraicMultigrid<double>::Cycle::K;
  EXPECT_LE(solve<double>(*A, x, y, data, CGVariant::flexible), 22);
  data.coarse_space = Multigrid<double>::CoarseSpace::discontinuous;
  EXPECT_MESSAGE(multigrid.initialize(*A, data), "is for meshes of one shape");
}
