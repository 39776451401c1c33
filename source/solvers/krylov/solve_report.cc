// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/krylov/solve_report.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Saltus
{
  namespace
  {
    /// The first and the last of the residuals that are known, with their iterations.
    std::string
    abbreviated(const std::vector<double> &residuals)
    {
      constexpr std::size_t    n_first = 3, n_last = 5;
      std::vector<std::size_t> known; // or the last
      for (std::size_t i = 0; i < residuals.size(); ++i)
        if (!std::isnan(residuals[i]) || i + 1 == residuals.size())
          known.push_back(i);
      std::ostringstream text;
      for (std::size_t k = 0; k < known.size(); ++k)
        if (k < n_first || k + n_last >= known.size())
          text << (k == 0 ? "" : ", ") << known[k] << ": " << residuals[known[k]];
        else if (k == n_first)
          text << ", ...";
      return text.str();
    }

    /// Who asks for little, as in single precision, accepts a hundred times as much.
    double
    accepted_stagnation(const SolverSettings &settings)
    {
      return std::max(largest_stagnation, 100. * settings.tolerance);
    }

    std::string
    message(const std::string    &solver,
            const std::string    &reason,
            const SolverSettings &settings,
            const double          rhs_norm,
            const SolveReport    &report,
            const SystemMatrix    matrix)
    {
      std::ostringstream text;
      text << solver << " found no solution";
      if (report.iterations > 0) // direct solvers have none
        text << " in " << report.iterations << " iterations";
      text << ": " << reason << ". The residual was to be " << settings.tolerance
           << " times the norm of the right-hand side, " << rhs_norm << ".";
      if (report.residuals.size() > 1)
        text << " It went from " << report.residuals.front() << " to " << report.residuals.back()
             << " (" << abbreviated(report.residuals) << ").";
      else if (!report.residuals.empty())
        text << " It is " << report.residuals.back() << ".";
      if (report.stagnates)
        text << " More iterations do not help, and neither do other solvers: the matrix is too"
             << " badly conditioned. Avoid elements of very different sizes, functions that are"
             << " nearly dependent, and coefficients that differ by many orders of magnitude; or"
             << " ask for less, by a larger tolerance.";
      else
        text << " Try more iterations, a better preconditioner or a larger tolerance"
             << (matrix == SystemMatrix::positive_definite
                   ? "; the matrix must be symmetric and positive definite, and so must the "
                     "preconditioner."
                   : ".");
      return text.str();
    }
  } // namespace

  NoConvergence::NoConvergence(const std::string    &solver,
                               const std::string    &reason,
                               const SolverSettings &settings,
                               const double          rhs_norm,
                               const SolveReport    &report,
                               const SystemMatrix    matrix)
    : std::runtime_error(message(solver, reason, settings, rhs_norm, report, matrix))
    , what_was_done(report)
  {}

  ResidualHistory::ResidualHistory(const std::string    &solver,
                                   const SolverSettings &settings,
                                   const double          rhs_norm,
                                   const double          unit,
                                   const SystemMatrix    matrix)
    : solver(solver)
    , settings(settings)
    , rhs_norm(rhs_norm)
    , unit(unit)
    , matrix(matrix)
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
    report.residuals.resize(report.iterations + 1, std::numeric_limits<double>::quiet_NaN());
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

  bool
  ResidualHistory::is_accepted() const
  {
    return last() <= target() || (report.stagnates && settings.check == SolutionCheck::tolerant &&
                                  last() <= accepted_stagnation(settings) * rhs_norm);
  }

  std::string
  ResidualHistory::stagnation() const
  {
    std::ostringstream text;
    text << "loss of accuracy: the residual of the solution stagnates at " << last() / rhs_norm
         << " of the right-hand side, because of rounding errors; ";
    const double accepted = accepted_stagnation(settings);
    if (last() <= accepted * rhs_norm)
      text << "SolutionCheck::tolerant accepts it";
    else
      text << "up to " << accepted << " that can be accepted";
    return text.str();
  }

  SolveReport
  ResidualHistory::finish(const std::string &reason)
  {
    report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::string why = reason;
    if (!std::isfinite(last()))
      why = "the residual is not a number";
    else if (why.empty() && !is_accepted())
      why = report.stagnates ? stagnation() : "the residual is still too large";
    report.reduction = rhs_norm > 0. ? last() / rhs_norm : 0.;
    for (double &norm : report.residuals)
      norm *= unit;
    if (!why.empty())
      throw NoConvergence(solver, why, settings, unit * rhs_norm, report, matrix);
    return report;
  }
} // namespace Saltus
