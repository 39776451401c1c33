// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Conjugate gradients of deal.II, AztecOO and Belos on operators of Saltus.
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_vector.h>

#include <saltus/solvers/krylov/aztecoo.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_operator.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/jacobi.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/poisson.h>
#include <limits>
#include <map>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double tolerance = 1e-11;

  const std::string source = "sin(3*x)*cos(2*y) + x";

  /// A way to solve `A x = b` with the preconditioner `P`, which may be the identity.
  using Solve = std::function<SolveReport(const Poisson                &problem,
                                          const LinearMap<double>      &matrix,
                                          Saltus::Vector<double>       &x,
                                          const Saltus::Vector<double> &b,
                                          const LinearMap<double>      &P,
                                          const SolverSettings         &settings)>;

  Solve
  dealii_cg(const CGVariant variant)
  {
    return
      [=](const Poisson &, const auto &A, auto &x, const auto &b, const auto &P, const auto &s) {
        return solve_cg(A, x, b, P, s, variant);
      };
  }

  Solve
  belos(const BelosMethod method)
  {
    return
      [=](const Poisson &, const auto &A, auto &x, const auto &b, const auto &P, const auto &s) {
        return solve_belos(A, x, b, P, s, method);
      };
  }

  /// The copies and numbering of a problem's matrix with another map.
  struct Renamed
  {
    using value_type = double;

    unsigned int
    m() const
    {
      return problem.matrix.m();
    }

    void
    initialize_vector(Saltus::Vector<double> &x) const
    {
      problem.matrix.initialize_vector(x);
    }

    void
    copy_from(Saltus::Vector<double> &to, const dealii::Vector<double> &from) const
    {
      problem.matrix.copy_from(to, from);
    }

    void
    copy_to(dealii::Vector<double> &to, const Saltus::Vector<double> &from) const
    {
      problem.matrix.copy_to(to, from);
    }

    void
    vmult(Saltus::Vector<double> &dst, const Saltus::Vector<double> &src) const
    {
      map.vmult(dst, src);
    }

    const Poisson           &problem;
    const LinearMap<double> &map;
  };

  SolveReport
  aztecoo(const Poisson                &problem,
          const LinearMap<double>      &A,
          Saltus::Vector<double>       &x,
          const Saltus::Vector<double> &b,
          const LinearMap<double>      &P,
          const SolverSettings         &settings)
  {
    const Renamed              matrix{problem, A};
    const EpetraOperator       epetra_matrix(matrix);
    const EpetraPreconditioner epetra_preconditioner(matrix, P);
    dealii::Vector<double>     x_host = problem.on_host(x);
    const SolveReport          report = solve_aztecoo(epetra_matrix,
                                             x_host,
                                             problem.on_host(b),
                                             P.is_identity() ? nullptr : &epetra_preconditioner,
                                             settings);
    problem.matrix.copy_from(x, x_host);
    return report;
  }

  const std::map<std::string, Solve> all_ways = {
    {"deal.II", dealii_cg(CGVariant::standard)},
    {"deal.II, flexible", dealii_cg(CGVariant::flexible)},
    {"AztecOO", aztecoo},
    {"Belos, pseudo-block", belos(BelosMethod::pseudo_block_cg)},
    {"Belos, block", belos(BelosMethod::block_cg)}};

  class KrylovTest : public OnDevice
  {
  protected:
    /// What every way throws for a matrix, preconditioner and right-hand side must hold the history
    /// of p min_iterations to p max_iterations.
    template <typename Change>
    void
    expect_failure(const Change      &change,
                   const std::string &text,
                   const unsigned int min_iterations,
                   const unsigned int max_iterations)
    {
      const Poisson problem(2, 1, device());
      for (const auto &[name, solve] : all_ways)
        {
          SCOPED_TRACE(name);
          Saltus::Vector<double> x = problem.zero(), b = problem.right_hand_side(source);
          LinearMap<double>      A(problem.matrix), P;
          SolverSettings         settings;
          change(A, P, b, settings);
          try
            {
              solve(problem, A, x, b, P, settings);
              ADD_FAILURE() << "no error";
            }
          catch (const NoConvergence &error)
            {
              const SolveReport &report = error.report();
              EXPECT_TRUE(contains(error.what(), text));
              EXPECT_GE(report.iterations, min_iterations) << error.what();
              EXPECT_LE(report.iterations, max_iterations) << error.what();
              ASSERT_EQ(report.residuals.size(), report.iterations + 1);
              if (min_iterations > 0)
                {
                  EXPECT_NEAR(report.residuals[0], b.l2_norm(), 1e-12 * b.l2_norm());
                }
            }
        }
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(KrylovTest)

TEST_P(KrylovTest, AllWaysGiveTheSameSolution)
{
  const Poisson                         problem(3, 1, device());
  const Jacobi                          jacobi(problem.matrix);
  PMultigrid<LaplaceOperator<2, float>> multigrid;
  const Saltus::Vector<double>          b = problem.right_hand_side(source);
  Saltus::Vector<double>                reference;
  multigrid.initialize(problem.matrix, {});
  for (const auto &[P_name, P] : {std::make_pair("no preconditioner", LinearMap<double>()),
                                  std::make_pair("Jacobi", LinearMap<double>(jacobi)),
                                  std::make_pair("multigrid", LinearMap<double>(multigrid))})
    {
      unsigned int iterations = 0;
      for (const auto &[name, solve] : all_ways)
        {
          SCOPED_TRACE(name + ", " + P_name);
          Saltus::Vector<double> x = problem.zero();
          const SolveReport report = solve(problem, problem.matrix, x, b, P, {tolerance, 2000});
          if (iterations == 0)
            iterations = report.iterations;
          EXPECT_NEAR(report.iterations, iterations, 1 + 0.03 * iterations);
          ASSERT_EQ(report.residuals.size(), report.iterations + 1);
          EXPECT_NEAR(report.residuals.front(), b.l2_norm(), 1e-12 * b.l2_norm());
          EXPECT_LE(report.residuals.back(), tolerance * b.l2_norm());
          EXPECT_GT(report.residuals[report.iterations - 1], tolerance * b.l2_norm());
          EXPECT_GT(report.seconds, 0.);
          EXPECT_LT(problem.residual(x, b), 2 * tolerance);
          if (reference.size() == 0)
            reference = x;
          Saltus::Vector<double> difference(x);
          difference -= reference;
          EXPECT_LT(difference.l2_norm(), 1e-9 * reference.l2_norm());
          std::cout << name << ", " << P_name << ": " << report.iterations << " iterations"
                    << std::endl;
        }
    }
}

TEST_P(KrylovTest, SinglePrecision)
{
  const Poisson             problem(2, 1, device());
  LaplaceOperator<2, float> A;
  problem.reinit(A, device());
  const Saltus::Vector<double> b         = problem.right_hand_side(source);
  Saltus::Vector<double>       reference = problem.zero(), converted;
  solve_cg(problem.matrix, reference, b, {}, {tolerance, 2000});
  Saltus::Vector<float> b_float, x;
  b_float.convert_from(b);
  const SolverSettings settings{1e-5, 2000, SolutionCheck::tolerant};
  const auto           expect_solution = [&] {
    converted.convert_from(x);
    converted -= reference;
    EXPECT_LT(converted.l2_norm(), 1e-3 * reference.l2_norm());
  };
  x.reinit(b_float);
  solve_cg(A, x, b_float, {}, settings);
  expect_solution();
  for (const BelosMethod method : {BelosMethod::pseudo_block_cg, BelosMethod::block_cg})
    {
      x.reinit(b_float);
      solve_belos(A, x, b_float, {}, settings, method);
      expect_solution();
    }
  // AztecOO iterates in double precision.
  dealii::Vector<double> x_host(b.size());
  solve_aztecoo(EpetraOperator(A), x_host, problem.on_host(b), nullptr, {1e-4, 2000});
  problem.matrix.copy_from(converted, x_host);
  converted -= reference;
  EXPECT_LT(converted.l2_norm(), 1e-2 * reference.l2_norm());
}

TEST_P(KrylovTest, TooFewIterations)
{
  expect_failure([](auto &, auto &, auto &, auto &settings) { settings.max_iterations = 2; },
                 "too large",
                 2,
                 2);
}

TEST_P(KrylovTest, NotANumber)
{
  expect_failure(
    [](auto &A, auto &, auto &, auto &) {
      A = LinearMap<double>::Function([inner = A](auto &dst, const auto &src) {
        inner.vmult(dst, src);
        dst(7) = std::numeric_limits<double>::quiet_NaN();
      });
    },
    "not a number",
    0,
    1);
}

/// All stop at a matrix that is not positive, and the history is there all the same.
TEST_P(KrylovTest, NotPositive)
{
  const Poisson                     problem(2, 1, device());
  const auto                        b        = problem.right_hand_side(source);
  const LinearMap<double>::Function negative = [&](auto &dst, const auto &src) {
    problem.matrix.vmult(dst, src);
    dst *= -1.;
  };
  for (const auto &[name, text] : {std::make_pair("deal.II", "not positive"),
                                   std::make_pair("deal.II, flexible", "not positive"),
                                   std::make_pair("AztecOO", "breakdown"),
                                   std::make_pair("Belos, pseudo-block", "positive"),
                                   std::make_pair("Belos, block", "positive")})
    try
      {
        Saltus::Vector<double> x = problem.zero();
        all_ways.at(name)(problem, negative, x, b, {}, {1e-10, 2000});
        ADD_FAILURE() << "no error from " << name;
      }
    catch (const NoConvergence &error)
      {
        EXPECT_TRUE(contains(error.what(), text));
        EXPECT_FALSE(error.report().residuals.empty());
      }
}

/// A preconditioner that is another one every time.
TEST_P(KrylovTest, FlexibleCG)
{
  const Poisson                     problem(3, 1, device());
  const Jacobi                      jacobi(problem.matrix);
  unsigned int                      n_calls = 0;
  const LinearMap<double>::Function varying = [&](auto &dst, const auto &src) {
    jacobi.vmult(dst, src);
    if (++n_calls % 2 == 0)
      dst.sadd(0.5, 0.02, src);
  };
  const auto                b = problem.right_hand_side(source);
  std::vector<unsigned int> iterations;
  for (const CGVariant variant : {CGVariant::flexible, CGVariant::standard})
    {
      Saltus::Vector<double> x = problem.zero();
      try
        {
          iterations.push_back(
            solve_cg(problem.matrix, x, b, varying, {1e-10, 2000}, variant).iterations);
        }
      catch (const NoConvergence &error)
        {
          iterations.push_back(error.report().iterations);
        }
      std::cout << iterations.back() << " iterations" << std::endl;
    }
  EXPECT_LT(iterations[0], 1000);
  EXPECT_LT(iterations[0], 0.7 * iterations[1]);
}

/// A right-hand side that is zero has the solution zero; a converged guess needs no iteration.
TEST_P(KrylovTest, NothingToDo)
{
  const Poisson                problem(2, 1, device());
  const Saltus::Vector<double> b = problem.right_hand_side(source);
  for (const auto &[name, solve] : all_ways)
    {
      SCOPED_TRACE(name);
      Saltus::Vector<double> x(b), solution = problem.zero();
      EXPECT_EQ(solve(problem, problem.matrix, x, problem.zero(), {}, {}).iterations, 0u);
      EXPECT_TRUE(x.all_zero());
      solve(problem, problem.matrix, solution, b, {}, {1e-10, 2000});
      EXPECT_EQ(solve(problem, problem.matrix, solution, b, {}, {1e-8, 2000}).iterations, 0u);
    }
}

TEST_P(KrylovTest, SettingsOutOfRange)
{
  const Poisson problem(1, 0, device());
  for (const auto &[name, solve] : all_ways)
    for (const SolverSettings &settings : {SolverSettings{0., 10}, SolverSettings{1e-3, 0}})
      {
        Saltus::Vector<double> x = problem.zero();
        EXPECT_THROW(solve(problem, problem.matrix, x, problem.right_hand_side("1"), {}, settings),
                     ExceptionBase)
          << name;
      }
}

/// The residual of the solution cannot be made that small; that of the recurrence can.
TEST_P(KrylovTest, LossOfAccuracyIsNoticed)
{
  const Poisson problem(4, 1, device());
  const auto    b = problem.right_hand_side(source);
  for (const auto &[name, solve] : all_ways)
    {
      SCOPED_TRACE(name);
      Saltus::Vector<double> x = problem.zero(), y = x;
      const SolveReport      report =
        solve(problem, problem.matrix, x, b, {}, {1e-19, 5000, SolutionCheck::tolerant});
      const double residual = problem.residual(x, b);
      EXPECT_TRUE(report.stagnates);
      EXPECT_NEAR(report.reduction, residual, 1e-3 * residual);
      EXPECT_LT(report.iterations, 4000u);
      try
        {
          solve(problem, problem.matrix, y, b, {}, {1e-19, 5000});
          ADD_FAILURE() << "no error";
        }
      catch (const NoConvergence &error)
        {
          EXPECT_TRUE(contains(error.what(), "loss of accuracy"));
          EXPECT_EQ(error.report().residuals, report.residuals);
        }
    }
}

/// Only a small residual may stagnate.
TEST(ResidualHistory, LargeStagnationIsAnError)
{
  // The residual of the solution is @p norm, the recurrence says that it is zero.
  const auto report_of = [](const double norm) {
    ResidualHistory history("Solver", {1e-10, 100, SolutionCheck::tolerant}, 2.);
    history.record(0, 2.);
    do
      history.record(3, 0.);
    while (history.starts_again([&]() { return norm; }));
    EXPECT_EQ(history.is_accepted(), norm < 2. * largest_stagnation);
    return history.finish();
  };
  const SolveReport report = report_of(1.9 * largest_stagnation);
  EXPECT_TRUE(report.stagnates);
  EXPECT_EQ(report.iterations, 6u);
  EXPECT_NEAR(report.reduction, 0.95 * largest_stagnation, 1e-15);
  const std::string message = message_of([&]() { report_of(1e-3); });
  EXPECT_TRUE(contains(message, "stagnates at 0.0005 of the right-hand side")) << message;
  EXPECT_TRUE(contains(message, "up to 1e-05 that can be accepted")) << message;
  EXPECT_TRUE(contains(message, "More iterations do not help")) << message;
  EXPECT_EQ(report_of(1e-11).iterations, 3u);
}

/// Where the diffusion jumps by orders of magnitude that of the recurrence is another.
TEST_P(KrylovTest, ResidualOfTheSolutionIsReported)
{
  Poisson                               problem(3, 1, device());
  LaplaceOperator<2>::AdditionalData    data;
  PMultigrid<LaplaceOperator<2, float>> multigrid;
  data.diffusion = {Expression(2, "if((x < 0.5) == (y < 0.5), 1, 1e6)", 1), Sampling::by_element};
  problem.matrix.reinit(
    problem.mapping, problem.dof_handler, dirichlet_conditions<2>(), device(), data);
  multigrid.initialize(problem.matrix, {});
  const auto b = problem.right_hand_side(source);
  for (const auto &[name, solve] : all_ways)
    {
      SCOPED_TRACE(name);
      Saltus::Vector<double> x = problem.zero(), y = x;
      const SolveReport      report =
        solve(problem, problem.matrix, x, b, multigrid, {1e-10, 100, SolutionCheck::tolerant});
      EXPECT_TRUE(report.stagnates);
      EXPECT_GT(report.reduction, 1e-10);
      EXPECT_LT(report.reduction, 1e-7);
      EXPECT_NEAR(report.reduction, problem.residual(x, b), 1e-3 * report.reduction);
      EXPECT_LT(solve(problem, problem.matrix, y, b, multigrid, {1e-10, 100, SolutionCheck::none})
                  .reduction,
                1e-10);
      // What rounding errors permit is reached.
      solve(problem, problem.matrix, y, b, multigrid, {10. * report.reduction, 100});
    }
}

/// Whatever the units of the data, also where their squares or single precision cannot hold them,
/// and whatever the guess.
TEST_P(KrylovTest, AnyUnits)
{
  const Poisson                         problem(3, 0, device());
  const Saltus::Vector<double>          b = problem.right_hand_side(source);
  PMultigrid<LaplaceOperator<2, float>> multigrid;
  multigrid.initialize(problem.matrix, {});
  for (const auto &[name, solve] : all_ways)
    {
      SCOPED_TRACE(name);
      Saltus::Vector<double> expected = problem.zero();
      const SolveReport      report =
        solve(problem, problem.matrix, expected, b, multigrid, {tolerance, 100});
      for (const double unit : {1e-45, 1e-300, 1e45, 1e300})
        for (const double guess : {0., 1.})
          {
            SCOPED_TRACE("unit " + std::to_string(std::log10(unit)));
            Saltus::Vector<double> x = problem.zero(), scaled = b;
            x.add(guess);
            scaled *= unit;
            const SolveReport of_scaled =
              solve(problem, problem.matrix, x, scaled, multigrid, {tolerance, 100});
            if (guess == 0. || unit < 1.)
              {
                EXPECT_EQ(of_scaled.iterations, report.iterations);
              }
            EXPECT_NEAR(of_scaled.residuals[0] / unit,
                        report.residuals[0],
                        1e-6 * report.residuals[0]);
            EXPECT_LE(of_scaled.reduction, tolerance);
            x /= unit;
            EXPECT_LT(x.max_difference(expected), 1e-6 * expected.linfty_norm());
          }
    }
}

/// The wrappers of deal.II with an operator of Saltus and preconditioners on its assembled matrix.
TEST_P(KrylovTest, TrilinosWrappersWithAssembledPreconditioners)
{
  const Poisson                  problem(2, 2, device());
  const EpetraOperator           A(problem.matrix);
  const Saltus::Vector<double>   b = problem.right_hand_side(source);
  TrilinosWrappers::SparseMatrix matrix;
  assemble(problem.matrix, matrix);

  TrilinosWrappers::PreconditionAMG::AdditionalData amg_data;
  amg_data.smoother_type = "symmetric Gauss-Seidel";
  TrilinosWrappers::PreconditionAMG      amg;
  TrilinosWrappers::PreconditionILU      ilu;
  TrilinosWrappers::PreconditionSSOR     ssor;
  TrilinosWrappers::PreconditionIdentity identity;
  amg.initialize(matrix, amg_data);
  ilu.initialize(matrix);
  ssor.initialize(matrix);
  identity.initialize(matrix);

  Saltus::Vector<double> reference = problem.zero();
  solve_cg(problem.matrix, reference, b, {}, {tolerance, 2000});
  const auto                    reference_host   = problem.on_host(reference);
  const auto                    b_host           = problem.on_host(b);
  unsigned int                  unpreconditioned = 0;
  TrilinosWrappers::MPI::Vector x_epetra, b_epetra;
  for (auto *v : {&x_epetra, &b_epetra})
    v->reinit(complete_index_set(b.size()));
  for (unsigned int i = 0; i < b.size(); ++i)
    b_epetra(i) = b_host(i);
  for (const TrilinosWrappers::PreconditionBase *preconditioner :
       std::initializer_list<const TrilinosWrappers::PreconditionBase *>{
         &identity, &amg, &ilu, &ssor})
    {
      const auto expect_solution = [&](dealii::Vector<double> x) {
        x -= reference_host;
        EXPECT_LT(x.l2_norm(), 1e-9 * reference_host.l2_norm());
      };
      x_epetra = 0.;
      SolverControl              control(2000, tolerance * b.l2_norm());
      TrilinosWrappers::SolverCG cg(control);
      cg.solve(A, x_epetra, b_epetra, *preconditioner);
      expect_solution(dealii::Vector<double>(x_epetra));

      dealii::Vector<double> x(b.size());
      const SolveReport      report =
        solve_aztecoo(A, x, b_host, &preconditioner->trilinos_operator(), {tolerance, 2000});
      expect_solution(x);
      EXPECT_NEAR(report.iterations, control.last_step(), 0.2 * report.iterations);
      if (unpreconditioned == 0)
        unpreconditioned = report.iterations;
      else
        {
          EXPECT_LT(report.iterations, 0.5 * unpreconditioned);
        }
      std::cout << report.iterations << " iterations" << std::endl;
    }
  SolverControl              control(2, tolerance * b.l2_norm());
  TrilinosWrappers::SolverCG cg(control);
  x_epetra = 0.;
  EXPECT_THROW(cg.solve(A, x_epetra, b_epetra, amg), SolverControl::NoConvergence);
}

TEST_P(KrylovTest, SeveralRightHandSides)
{
  const Poisson problem(3, 1, device());
  const Jacobi  jacobi(problem.matrix);
  // One of them is zero; they converge at different times.
  const std::vector<std::string>      texts = {source, "0", "exp(x*y)", "x > 0.5", "sin(20*x*y)"};
  std::vector<Saltus::Vector<double>> b, expected;
  std::vector<SolveReport>            single;
  const SolverSettings                settings{tolerance, 2000};
  for (const std::string &text : texts)
    {
      b.push_back(problem.right_hand_side(text));
      expected.push_back(problem.zero());
      single.push_back(solve_cg(problem.matrix, expected.back(), b.back(), jacobi, settings));
    }
  std::vector<Saltus::Vector<double> *> b_pointers;
  for (auto &column : b)
    b_pointers.push_back(&column);
  const Saltus::MultiVector<double> B(b_pointers);
  for (const BelosMethod method : {BelosMethod::pseudo_block_cg, BelosMethod::block_cg})
    {
      Saltus::MultiVector<double> X(b[0], b.size());
      const auto reports = solve_belos(problem.matrix, X, B, jacobi, settings, method);
      for (unsigned int j = 0; j < b.size(); ++j)
        {
          SCOPED_TRACE("right-hand side " + std::to_string(j));
          EXPECT_EQ(reports[j].residuals.size(), reports[j].iterations + 1);
          EXPECT_LE(reports[j].residuals.back(), tolerance * b[j].l2_norm());
          EXPECT_LE(X.column(j).max_difference(expected[j]), 1e-9 * expected[j].linfty_norm());
          if (method == BelosMethod::pseudo_block_cg)
            {
              EXPECT_NEAR(reports[j].iterations, single[j].iterations, 5);
            }
          else
            {
              EXPECT_LE(reports[j].iterations, single[j].iterations);
            }
          std::cout << reports[j].iterations << " iterations, alone " << single[j].iterations
                    << std::endl;
        }
      Saltus::MultiVector<double> Y(b[0], b.size());
      EXPECT_THROW(solve_belos(problem.matrix, Y, B, jacobi, {tolerance, 2}, method),
                   NoConvergence);
    }
}

/// Vectors on a GPU have two megabytes; an iteration moves scalars only.
TEST_P(KrylovTest, BelosMovesScalarsOnly)
{
  const Poisson problem(3, device().is_cuda() ? 5 : 1, device());
  const auto    b = problem.right_hand_side(source);
  const auto    P = LinearMap<double>::Function([](auto &dst, const auto &src) { dst = src; });
  std::vector<Saltus::Vector<double>> right_hand_sides(2, b);
  right_hand_sides[1] = problem.right_hand_side("1");
  const Saltus::MultiVector<double> B({&right_hand_sides[0], &right_hand_sides[1]});
  for (const BelosMethod method : {BelosMethod::pseudo_block_cg, BelosMethod::block_cg})
    {
      constexpr unsigned int      n_iterations = 20;
      Saltus::MultiVector<double> X(b, 2);
      const std::size_t           before = CudaRuntime::transferred_bytes();
      EXPECT_THROW(solve_belos(problem.matrix, X, B, P, {1e-12, n_iterations}, method),
                   NoConvergence);
      const std::size_t moved = CudaRuntime::transferred_bytes() - before;
      std::cout << moved / n_iterations << " bytes an iteration" << std::endl;
      EXPECT_LT(moved / n_iterations, std::min<std::size_t>(1000, b.memory_consumption() / 10));
      EXPECT_EQ(moved > 0, device().is_cuda());
    }
}
