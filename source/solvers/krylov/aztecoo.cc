// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/krylov/aztecoo.h>
#include <saltus/solvers/krylov/scaled_system.h>

#include <AztecOO.h>
#include <AztecOO_StatusTest.h>
#include <cmath>
#include <Epetra_LinearProblem.h>
#include <Epetra_Map.h>
#include <Epetra_Vector.h>

namespace Saltus
{
  namespace
  {
    /// Records residuals of the recurrence and tells AztecOO when to stop.
    class StatusTest : public AztecOO_StatusTest
    {
    public:
      explicit StatusTest(ResidualHistory &history)
        : history(history)
      {}

      bool
      ResidualVectorRequired() const override
      {
        return true;
      }

      AztecOO_StatusType
      CheckStatus(int iteration, Epetra_MultiVector *residual, double estimate, bool) override
      {
        // AztecOO computes the residual of the solution when that of the recurrence is small, and
        // asks again in the same iteration. But it does not start again from there.
        if (status == Converged)
          return status;
        double norm = estimate;
        if (residual != nullptr)
          residual->Norm2(&norm);
        last_iteration = iteration;
        history.record(iteration, norm);
        if (!std::isfinite(norm))
          status = NaN; // the one status other than Converged at which AztecOO stops
        else
          status = norm <= history.target() ? Converged : Unconverged;
        return status;
      }

      AztecOO_StatusType
      GetStatus() const override
      {
        return status;
      }

      std::ostream &
      Print(std::ostream &stream, int) const override
      {
        return stream << "residual " << history.last() << std::endl;
      }

      unsigned int
      iterations() const
      {
        return last_iteration;
      }

    private:
      ResidualHistory   &history;
      AztecOO_StatusType status         = Unchecked;
      int                last_iteration = -1;
    };

    /// Why AztecOO stopped if not because of the status test. It reports a breakdown as success
    /// when there is a status test; but then it has stopped too early.
    std::string
    reason(const int error, const unsigned int max_iterations, const StatusTest &test)
    {
      if (error < 0)
        return "AztecOO reports error " + std::to_string(error);
      if (test.GetStatus() == Unconverged && test.iterations() < max_iterations)
        return "breakdown: the matrix or the preconditioner is not positive";
      return ""; // the residuals tell
    }

    /// Solve as far as the recurrence says.
    /// @return why it stopped without a solution, if AztecOO knows
    std::string
    run(const Epetra_Operator &matrix,
        Epetra_Vector         &x,
        const Epetra_Vector   &b,
        const Epetra_Operator *preconditioner,
        const SolverSettings  &settings,
        ResidualHistory       &history)
    {
      // AztecOO's interface knows no const.
      Epetra_LinearProblem problem(const_cast<Epetra_Operator *>(&matrix),
                                   &x,
                                   const_cast<Epetra_Vector *>(&b));
      StatusTest           test(history);
      AztecOO              solver(problem);
      solver.SetAztecOption(AZ_solver, AZ_cg);
      solver.SetAztecOption(AZ_output, AZ_none);
      if (preconditioner == nullptr)
        solver.SetAztecOption(AZ_precond, AZ_none);
      else
        solver.SetPrecOperator(const_cast<Epetra_Operator *>(preconditioner));
      solver.SetStatusTest(&test);
      const unsigned int max_iterations = history.iterations_left();
      return reason(solver.Iterate(max_iterations, settings.tolerance), max_iterations, test);
    }

    double
    l2_norm(const Epetra_Vector &x)
    {
      double norm = 0.; // on all ranks
      x.Norm2(&norm);
      return norm;
    }

    double
    linfty_norm(const Epetra_Vector &x)
    {
      double norm = 0.;
      x.NormInf(&norm);
      return norm;
    }

    /// |b - A x|
    double
    residual_norm(const Epetra_Operator &matrix, const Epetra_Vector &x, const Epetra_Vector &b)
    {
      Epetra_Vector residual(b.Map());
      matrix.Apply(x, residual);
      residual.Update(1., b, -1.);
      return l2_norm(residual);
    }

    SolveReport
    solve(const Epetra_Operator &matrix,
          Epetra_Vector         &x,
          const Epetra_Vector   &b,
          const Epetra_Operator *preconditioner,
          const SolverSettings  &settings,
          const double           unit)
    {
      const double    norm = l2_norm(b);
      ResidualHistory history("AztecOO CG", settings, norm, unit);
      if (norm == 0.)
        {
          x.PutScalar(0.);
          history.record(0, 0.);
          return history.finish();
        }
      std::string reason;
      do
        reason = run(matrix, x, b, preconditioner, settings, history);
      while (reason.empty() && history.starts_again([&]() { return residual_norm(matrix, x, b); }));
      return history.finish(reason);
    }
  } // namespace

  SolveReport
  solve_aztecoo(const Epetra_Operator          &matrix,
                dealii::ArrayView<double>       x,
                dealii::ArrayView<const double> b,
                const Epetra_Operator          *preconditioner,
                const SolverSettings           &settings)
  {
    const Epetra_Map &map = matrix.OperatorDomainMap();
    AssertThrow(map.NumMyElements() == static_cast<int>(b.size()) && x.size() == b.size(),
                dealii::ExcDimensionMismatch(map.NumMyElements(), b.size()));
    Epetra_Vector       x_view(View, map, x.data());
    const Epetra_Vector b_view(View, map, const_cast<double *>(b.data()));
    const double        unit =
      unit_of_system<double>(l2_norm(b_view), [&]() { return linfty_norm(b_view); });
    if (unit == 1.)
      return solve(matrix, x_view, b_view, preconditioner, settings, unit);
    // As ScaledSystem does.
    Epetra_Vector scaled_x(x_view), scaled_b(b_view);
    scaled_x.Scale(1. / unit);
    scaled_b.Scale(1. / unit);
    if (!(residual_norm(matrix, scaled_x, scaled_b) <= wide_range * l2_norm(scaled_b)))
      scaled_x.PutScalar(0.);
    const SolveReport report = solve(matrix, scaled_x, scaled_b, preconditioner, settings, unit);
    x_view.Scale(unit, scaled_x);
    return report;
  }
} // namespace Saltus
