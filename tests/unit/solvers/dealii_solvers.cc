// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// deal.II's solvers, preconditioners and linear operators on vectors of operators.
#include <deal.II/base/logstream.h>
#include <deal.II/lac/diagonal_matrix.h>
#include <deal.II/lac/linear_operator_tools.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_minres.h>
#include <deal.II/lac/solver_richardson.h>

#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/poisson.h>
#include <sstream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using VectorType = Saltus::Vector<double>;
  using Multigrid  = PMultigrid<LaplaceOperator<2, float>>;

  const std::string source = "sin(3*x)*cos(2*y)";

  class DealiiSolvers : public OnDevice
  {
  protected:
    /// That a solver finds the solution.
    template <typename Solver, typename Preconditioner>
    static void
    test(const Poisson &problem, const Preconditioner &preconditioner)
    {
      const VectorType b = problem.right_hand_side(source);
      VectorType       x = problem.zero();
      SolverControl    control(500, 1e-9 * b.l2_norm(), false, false);
      Solver(control).solve(problem.matrix, x, b, preconditioner);
      EXPECT_LT(problem.residual(x, b), 1e-6);
    }
  };
} // namespace

TEST_P(DealiiSolvers, FindTheSolution)
{
  const Poisson problem(2, 0, device());
  Multigrid     multigrid;
  multigrid.initialize(problem.matrix, {});
  test<SolverMinRes<VectorType>>(problem, PreconditionIdentity());
  test<SolverRichardson<VectorType>>(problem, multigrid);
}

TEST_P(DealiiSolvers, LinearOperator)
{
  const Poisson    problem(2, 0, device());
  const auto       A        = linear_operator<VectorType>(problem.matrix);
  const VectorType v        = problem.right_hand_side(source);
  const VectorType w        = 2. * A * v;
  VectorType       expected = problem.zero();
  problem.matrix.initialize_dof_vector(expected);
  problem.matrix.vmult(expected, v);
  expected *= 2.;
  EXPECT_GT(expected.linfty_norm(), 0.);
  EXPECT_LT(w.max_difference(expected), 1e-13 * expected.linfty_norm());
}

/// With a diagonal matrix, its default.
TEST_P(DealiiSolvers, PreconditionChebyshev)
{
  using Chebyshev = PreconditionChebyshev<LaplaceOperator<2>, VectorType>;
  const Poisson problem(2, 0, device());
  Chebyshev     chebyshev;
  EXPECT_MESSAGE(chebyshev.initialize(problem.matrix), "compute_diagonal()");

  VectorType diagonal;
  problem.matrix.compute_diagonal(diagonal);
  std::vector<double> entries = diagonal.entries();
  for (double &entry : entries)
    entry = 1. / entry;
  diagonal.set_entries(entries);
  Chebyshev::AdditionalData data;
  data.degree          = 3;
  data.smoothing_range = 100.;
  data.preconditioner  = std::make_shared<DiagonalMatrix<VectorType>>();
  data.preconditioner->reinit(diagonal);
  chebyshev.initialize(problem.matrix, data);
  test<SolverCG<VectorType>>(problem, chebyshev);
}

TEST_P(DealiiSolvers, VectorsOfASize)
{
  VectorType v(device(), 3, 2, 1), w;
  v = 1.;
  swap(v, w);
  w.reinit(6, true);
  EXPECT_EQ(w.l1_norm(), 6.);
  w.reinit(6);
  EXPECT_EQ(w.l1_norm(), 0.);
  EXPECT_MESSAGE(w.reinit(7), "initialize_vector()");
  EXPECT_EQ(w.size(), 6u);
  w.reinit(0);
  EXPECT_EQ(w.size(), 0u);
}

/// The log belongs to the program.
TEST_P(DealiiSolvers, LeaveTheLogAlone)
{
  std::ostringstream log;
  deallog.attach(log, false);
  const Poisson problem(2, 0, device());
  Multigrid     multigrid;
  multigrid.initialize(problem.matrix, {});
  const VectorType b = problem.right_hand_side(source);
  VectorType       x = problem.zero();
  solve_cg<double>(problem.matrix, x, b, multigrid);
  x = 0.;
  solve_gmres<double>(problem.matrix, x, b, multigrid);
  deallog.detach();
  EXPECT_EQ(log.str(), "");
}

/// That matrices must be positive definite holds for conjugate gradients.
TEST_P(DealiiSolvers, AdviceWhereTheyFail)
{
  const Poisson        problem(2, 0, device());
  const VectorType     b        = problem.right_hand_side(source);
  VectorType           x        = problem.zero();
  const SolverSettings settings = {1e-10, 3};
  const std::string    advice   = "positive definite";
  EXPECT_MESSAGE(solve_cg<double>(problem.matrix, x, b, {}, settings), advice);
  EXPECT_FALSE(
    contains(message_of([&]() { solve_gmres<double>(problem.matrix, x, b, {}, settings); }),
             advice));
  EXPECT_FALSE(
    contains(message_of([&]() {
               solve_belos<double>(problem.matrix, x, b, {}, settings, BelosMethod::gmres);
             }),
             advice));
}

SALTUS_INSTANTIATE_ON_DEVICES(DealiiSolvers)
