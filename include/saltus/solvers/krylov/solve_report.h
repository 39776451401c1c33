// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_solve_report_h
#define saltus_solvers_krylov_solve_report_h

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace Saltus
{
  /// Whether the residual is computed from the solution in the end, with one more product: that of
  /// the recurrence, which conjugate gradients look at, drifts away from it where coefficients
  /// differ by orders of magnitude. If it is larger than the tolerance they start again from there,
  /// until that helps no more because of rounding errors.
  enum class SolutionCheck
  {
    none,
    tolerant, ///< a residual that stagnates is in the report if it is at most largest_stagnation
    strict    ///< it is an error
  };

  /// Of a residual that stagnates and is accepted, over the right-hand side: a larger one would be
  /// seen in tables of five digits. In double precision that leaves room for condition numbers of
  /// 1e10, with which other errors grow, too.
  /// Who is content with more says so by the tolerance.
  constexpr double largest_stagnation = 1e-5;

  /// When a Krylov solver stops.
  struct SolverSettings
  {
    double        tolerance      = 1e-10; ///< of |b - A x| / |b|, Euclidean norms of coefficients
    unsigned int  max_iterations = 1000;
    SolutionCheck check          = SolutionCheck::strict;
  };

  /// What a Krylov solver did.
  struct SolveReport
  {
    unsigned int iterations = 0;
    /// |b - A x| before the first and after every iteration; the last one is that of the solution
    /// if it was checked, the others those of the recurrence. NaN where the solver does not tell.
    std::vector<double> residuals;
    double              reduction = 0;     ///< the last of them over |b|
    bool                stagnates = false; ///< at a reduction above the tolerance
    double              seconds   = 0;     ///< wall time
  };

  /// For which matrices a solver is.
  enum class SystemMatrix
  {
    positive_definite, ///< and symmetric, with preconditioners alike
    any
  };

  /// A Krylov solver stopped without a solution. The message names the solver, why it stopped, the
  /// tolerance and the residuals, and says what to try.
  class NoConvergence : public std::runtime_error
  {
  public:
    /// @param reason why it stopped, without a full stop
    /// @param rhs_norm |b|
    NoConvergence(const std::string    &solver,
                  const std::string    &reason,
                  const SolverSettings &settings,
                  const double          rhs_norm,
                  const SolveReport    &report,
                  const SystemMatrix    matrix = SystemMatrix::positive_definite);

    const SolveReport &
    report() const
    {
      return what_was_done;
    }

  private:
    SolveReport what_was_done;
  };

  /// The residuals of a Krylov solver while it runs, and the verdict on them: the one place that
  /// decides whether a solution was found.
  class ResidualHistory
  {
  public:
    /// Starts the clock.
    /// @param rhs_norm |b|
    /// @param unit that of the norms here, see unit_of_system(); those of the report have none
    /// @throws dealii::ExcMessage if the settings are out of range or @p rhs_norm is not a number
    ResidualHistory(const std::string    &solver,
                    const SolverSettings &settings,
                    const double          rhs_norm,
                    const double          unit   = 1.,
                    const SystemMatrix    matrix = SystemMatrix::positive_definite);

    /// The norm of the residual that is asked for: tolerance times |b|.
    double
    target() const;

    /// How many there may still be.
    unsigned int
    iterations_left() const
    {
      return settings.max_iterations - first;
    }

    /// @param norm |b - A x| after iteration @p iteration of the present start; replaces what was
    /// recorded for it
    void
    record(const unsigned int iteration, const double norm);

    /// Norm of the last residual.
    double
    last() const;

    /// Look at the solution, if the settings say so, when the residual of the recurrence is small
    /// enough.
    /// @param residual_norm returns |b - A x|, which is recorded in place of the last one
    /// @return whether to start again from there
    template <typename ResidualNorm>
    bool
    starts_again(const ResidualNorm &residual_norm)
    {
      return is_to_be_checked() && starts_again_from(residual_norm());
    }

    /// The same for a solver that is not watched, whose last residual is known to be that of the
    /// solution.
    bool
    starts_again()
    {
      return starts_again_from(last());
    }

    /// Whether the last residual is small enough, or the smallest that rounding errors allow, which
    /// is tolerated.
    bool
    is_accepted() const;

    /// Stops the clock.
    /// @param reason why the solver says that it failed, empty if it does not
    /// @throws NoConvergence if there is a reason, or the last residual is not accepted
    SolveReport
    finish(const std::string &reason = {});

  private:
    bool
    is_to_be_checked() const;

    bool
    starts_again_from(const double norm);

    /// That the residual stagnates, as the reason of an error.
    std::string
    stagnation() const;

    std::string    solver;
    SolverSettings settings;
    double         rhs_norm, unit;
    SystemMatrix   matrix;
    SolveReport    report;
    unsigned int   first = 0;                                 ///< iteration of the present start
    double checked = std::numeric_limits<double>::infinity(); ///< residual of the solution there
    std::chrono::steady_clock::time_point begin;
  };
} // namespace Saltus

#endif
