// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "linear_solver.h"

#include <deal.II/base/timer.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <sstream>

namespace Saltus::Poisson
{
  using namespace dealii;

  namespace
  {
    /// Why it stopped, and the first and the last residuals.
    std::string
    no_convergence(const std::vector<double> &residuals, const SolverParameters &parameters)
    {
      std::ostringstream message;
      message << "The solver (" << parameters.type
              << ") does not reach Solver/Tolerance = " << parameters.tolerance << " in "
              << residuals.size() - 1 << " iterations. Norms of the residual:";
      const std::size_t n = residuals.size(), shown = 3;
      for (std::size_t i = 0; i < n; ++i)
        if (i <= shown || i + shown >= n)
          message << ' ' << residuals[i];
        else if (i == shown + 1)
          message << " ...";
      message << ". Accept more iterations (Solver/Maximum iterations = "
              << parameters.max_iterations << ") or a larger tolerance.";
      return message.str();
    }
  } // namespace


  template <int dim>
  Preconditioner
  make_preconditioner(const LaplaceOperator<dim> &, const SolverParameters &)
  {
    return {[](Saltus::Vector<double> &dst, const Saltus::Vector<double> &src) { dst = src; }};
  }


  template <int dim>
  SolveReport
  solve(const LaplaceOperator<dim>   &A,
        Saltus::Vector<double>       &x,
        const Saltus::Vector<double> &b,
        const Preconditioner         &preconditioner,
        const SolverParameters       &parameters)
  {
    SolverControl control(parameters.max_iterations,
                          parameters.tolerance * b.l2_norm(),
                          false,
                          false);
    control.enable_history_data();
    SolverCG<Saltus::Vector<double>> cg(control);
    SolveReport                      report;
    Timer                            timer;
    bool                             converged = true;
    try
      {
        cg.solve(A, x, b, preconditioner);
      }
    catch (const SolverControl::NoConvergence &)
      {
        converged = false;
      }
    report.seconds   = timer.wall_time();
    report.residuals = control.get_history_data();
    AssertThrow(converged, ExcMessage(no_convergence(report.residuals, parameters)));
    return report;
  }


#define SALTUS_INSTANTIATE(dim)                                             \
  template Preconditioner make_preconditioner(const LaplaceOperator<dim> &, \
                                              const SolverParameters &);    \
  template SolveReport    solve(const LaplaceOperator<dim> &,               \
                                Saltus::Vector<double> &,                   \
                                const Saltus::Vector<double> &,             \
                                const Preconditioner &,                     \
                                const SolverParameters &);

  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus::Poisson
