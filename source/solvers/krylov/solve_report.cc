// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/krylov/solve_report.h>

#include <cmath>
#include <sstream>

namespace Saltus
{
  namespace
  {
    /// The first and the last residuals, with their iterations.
    std::string
    abbreviated(const std::vector<double> &residuals)
    {
      constexpr std::size_t n_first = 3, n_last = 5;
      std::ostringstream    text;
      for (std::size_t i = 0; i < residuals.size(); ++i)
        if (i < n_first || i + n_last >= residuals.size())
          text << (i == 0 ? "" : ", ") << i << ": " << residuals[i];
        else if (i == n_first)
          text << ", ...";
      return residuals.empty() ? "none" : text.str();
    }

    std::string
    message(const std::string    &solver,
            const std::string    &reason,
            const SolverSettings &settings,
            const double          rhs_norm,
            const SolveReport    &report)
    {
      std::ostringstream text;
      text << solver << " found no solution in " << report.iterations << " iterations: " << reason
           << ". The residual was to be " << settings.tolerance
           << " times the norm of the right-hand side, " << rhs_norm << ".";
      if (!report.residuals.empty())
        text << " It went from " << report.residuals.front() << " to " << report.residuals.back()
             << " (" << abbreviated(report.residuals) << ").";
      text << " Try more iterations, a better preconditioner or a larger tolerance; the matrix must"
           << " be symmetric and positive definite, and so must the preconditioner.";
      return text.str();
    }
  } // namespace

  NoConvergence::NoConvergence(const std::string    &solver,
                               const std::string    &reason,
                               const SolverSettings &settings,
                               const double          rhs_norm,
                               const SolveReport    &report)
    : std::runtime_error(message(solver, reason, settings, rhs_norm, report))
    , what_was_done(report)
  {}

  ResidualHistory::ResidualHistory(const std::string    &solver,
                                   const SolverSettings &settings,
                                   const double          rhs_norm,
                                   const double          unit)
    : solver(solver)
    , settings(settings)
    , rhs_norm(rhs_norm)
    , unit(unit)
    , begin(std::chrono::steady_clock::now())
  {
    AssertThrow(settings.tolerance > 0. && settings.tolerance < 1. && settings.max_iterations > 0,
                dealii::ExcMessage(solver +
                                   ": the tolerance must be between 0 and 1 and the "
                                   "number of iterations positive, not " +
                                   std::to_string(settings.tolerance) + " and " +
                                   std::to_string(settings.max_iterations) + "."));
    AssertThrow(std::isfinite(rhs_norm),
                dealii::ExcMessage(solver + ": the right-hand side is not a number."));
  }

  double
  ResidualHistory::target() const
  {
    return settings.tolerance * rhs_norm;
  }

  void
  ResidualHistory::record(const unsigned int iteration, const double norm)
  {
    report.iterations = first + iteration;
    report.residuals.resize(report.iterations + 1);
    report.residuals.back() = norm;
  }

  double
  ResidualHistory::last() const
  {
    return report.residuals.empty() ? rhs_norm : report.residuals.back();
  }

  bool
  ResidualHistory::is_to_be_checked() const
  {
    // A residual before the first iteration is that of the solution.
    return settings.check != SolutionCheck::none && report.iterations > first && last() <= target();
  }

  bool
  ResidualHistory::starts_again_from(const double norm)
  {
    report.residuals.back() = norm;
    if (norm <= target())
      return false;
    report.stagnates = !(norm < 0.5 * checked);
    checked          = norm;
    first            = report.iterations;
    return !report.stagnates && iterations_left() > 0;
  }

  SolveReport
  ResidualHistory::finish(const std::string &reason)
  {
    report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::string why = reason;
    if (!std::isfinite(last()))
      why = "the residual is not a number";
    else if (why.empty() && report.stagnates)
      {
        if (settings.check == SolutionCheck::strict)
          why = "loss of accuracy: the residual of the recurrence became small, but that of the "
                "solution stagnates, because of rounding errors; SolutionCheck::tolerant accepts "
                "it";
      }
    else if (why.empty() && !(last() <= target()))
      why = "the residual is still too large";
    report.reduction = rhs_norm > 0. ? last() / rhs_norm : 0.;
    for (double &norm : report.residuals)
      norm *= unit;
    if (!why.empty())
      throw NoConvergence(solver, why, settings, unit * rhs_norm, report);
    return report;
  }
} // namespace Saltus
