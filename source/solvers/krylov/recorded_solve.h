// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_solvers_krylov_recorded_solve_h
#define saltus_source_solvers_krylov_recorded_solve_h

// What deal.II's solvers have in common here.
#include <deal.II/lac/solver_control.h>

#include <saltus/solvers/krylov/scaled_system.h>
#include <saltus/solvers/krylov/solve_report.h>

#include <string>

namespace Saltus
{
  class RecordingControl : public dealii::SolverControl
  {
  public:
    explicit RecordingControl(ResidualHistory &history)
      : dealii::SolverControl(history.iterations_left(), history.target(), false, false)
      , history(history)
    {}

    State
    check(const unsigned int iteration, const double norm) override
    {
      history.record(iteration, norm);
      const State state = dealii::SolverControl::check(iteration, norm);
      return reason.empty() ? state : failure;
    }

    std::string reason; ///< to give up

  private:
    ResidualHistory &history;
  };


  /// @param name of the solver, which is for @p matrices
  /// @param run solves with `run(control, x, b)`, starting from x
  template <typename Number, typename VectorType, typename Run>
  SolveReport
  recorded_solve(const std::string                   &name,
                 const SystemMatrix                   matrices,
                 const LinearMap<Number, VectorType> &matrix,
                 VectorType                          &x,
                 const VectorType                    &b,
                 const SolverSettings                &settings,
                 const Run                           &run)
  {
    ScaledSystem<Number, VectorType> system(matrix, x, b);
    ResidualHistory history(name, settings, system.rhs_norm(), system.unit(), matrices);
    if (system.rhs_norm() == 0.)
      {
        x = Number(0);
        history.record(0, 0.);
        return history.finish();
      }
    std::string reason;
    do
      {
        RecordingControl control(history);
        try
          {
            run(control, system.x(), system.b());
          }
        catch (const dealii::SolverControl::NoConvergence &)
          {
            // What was recorded tells.
          }
        reason = control.reason;
      }
    while (reason.empty() && history.starts_again([&]() { return system.residual_norm(); }));
    system.finish();
    return history.finish(reason);
  }
} // namespace Saltus

#endif
