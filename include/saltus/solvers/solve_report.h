// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_solve_report_h
#define saltus_solvers_solve_report_h

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace Saltus
{
  /// When a Krylov solver stops.
  struct SolverSettings
  {
    double       tolerance      = 1e-10; ///< of |b - A x| / |b|, Euclidean norms of coefficients
    unsigned int max_iterations = 1000;
  };

  /// What a Krylov solver did.
  struct SolveReport
  {
    unsigned int        iterations = 0;
    std::vector<double> residuals;   ///< |b - A x| before the first and after every iteration
    double              seconds = 0; ///< wall time
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
                  const SolveReport    &report);

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
    /// @throws dealii::ExcMessage if the settings are out of range or @p rhs_norm is not a number
    ResidualHistory(const std::string    &solver,
                    const SolverSettings &settings,
                    const double          rhs_norm);

    /// The norm of the residual that is asked for: tolerance times |b|.
    double
    target() const;

    /// @param norm |b - A x| after iteration @p iteration; replaces what was recorded for it
    void
    record(const unsigned int iteration, const double norm);

    /// Norm of the last residual.
    double
    last() const;

    /// Stops the clock.
    /// @param reason why the solver says that it failed, empty if it does not
    /// @throws NoConvergence if there is a reason, or the last residual is not at most target()
    SolveReport
    finish(const std::string &reason = {});

  private:
    std::string                           solver;
    SolverSettings                        settings;
    double                                rhs_norm;
    SolveReport                           report;
    std::chrono::steady_clock::time_point begin;
  };
} // namespace Saltus

#endif
