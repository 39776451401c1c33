// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/aztecoo.h>

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
    /// Records residuals and tells AztecOO when to stop. When the residual of the recurrence is
    /// small, AztecOO computes that of the solution and asks again in the same iteration.
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
        double norm = estimate;
        if (residual != nullptr)
          residual->Norm2(&norm);
        const bool again = iteration == last_iteration;
        last_iteration   = iteration;
        // The residual of the solution no longer follows that of the recurrence.
        lost = again && norm > history.target() && history.last() < 0.01 * history.target();
        history.record(iteration, norm);
        if (!std::isfinite(norm) || lost)
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

      bool
      lost_accuracy() const
      {
        return lost;
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
      bool               lost           = false;
    };

    /// Why AztecOO stopped if not because of the status test. It reports a breakdown as success
    /// when there is a status test; but then it has stopped too early.
    std::string
    reason(const int error, const SolverSettings &settings, const StatusTest &test)
    {
      if (test.lost_accuracy())
        return "loss of accuracy: the residual of the solution is larger than that of the recurrence";
      if (error < 0)
        return "AztecOO reports error " + std::to_string(error);
      if (test.GetStatus() == Unconverged && test.iterations() < settings.max_iterations)
        return "breakdown: the matrix or the preconditioner is not positive";
      return ""; // the residuals tell
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
    // AztecOO's interface knows no const.
    Epetra_Vector x_view(View, map, x.data()), b_view(View, map, const_cast<double *>(b.data()));
    double        norm = 0.; // on all ranks
    b_view.Norm2(&norm);
    ResidualHistory history("AztecOO CG", settings, norm);
    if (norm == 0.)
      {
        x_view.PutScalar(0.);
        history.record(0, 0.);
        return history.finish();
      }

    Epetra_LinearProblem problem(const_cast<Epetra_Operator *>(&matrix), &x_view, &b_view);
    StatusTest           test(history);
    AztecOO              solver(problem);
    solver.SetAztecOption(AZ_solver, AZ_cg);
    solver.SetAztecOption(AZ_output, AZ_none);
    if (preconditioner == nullptr)
      solver.SetAztecOption(AZ_precond, AZ_none);
    else
      solver.SetPrecOperator(const_cast<Epetra_Operator *>(preconditioner));
    solver.SetStatusTest(&test);
    const int error = solver.Iterate(settings.max_iterations, settings.tolerance);
    return history.finish(reason(error, settings, test));
  }
} // namespace Saltus
