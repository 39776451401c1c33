// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/scaled_system.h>

namespace Saltus
{
  namespace
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

      /// Look at the length of a step, r.z / p.Ap: of a positive matrix and preconditioner it is
      /// positive.
      void
      check_step(const double length)
      {
        if (length <= 0.)
          reason = "the matrix or the preconditioner is not positive";
      }

      std::string reason; ///< to give up

    private:
      ResidualHistory &history;
    };

    template <typename Solver, typename Number, typename Preconditioner>
    void
    run(RecordingControl        &control,
        const LinearMap<Number> &matrix,
        Vector<Number>          &x,
        const Vector<Number>    &b,
        const Preconditioner    &preconditioner)
    {
      Solver solver(control);
      solver.connect_coefficients_slot(
        [&](const Number step_length, const Number) { control.check_step(step_length); });
      solver.solve(matrix, x, b, preconditioner);
    }

    template <typename Number>
    void
    run(RecordingControl        &control,
        const LinearMap<Number> &matrix,
        Vector<Number>          &x,
        const Vector<Number>    &b,
        const LinearMap<Number> &preconditioner,
        const CGVariant          variant)
    {
      if (variant == CGVariant::flexible)
        // Not with deal.II's identity: 9.4 then takes the product of the wrong vectors.
        run<dealii::SolverFlexibleCG<Vector<Number>>>(control, matrix, x, b, preconditioner);
      else if (preconditioner.is_identity())
        // deal.II knows its own identity only, and then leaves out a copy and a product.
        run<dealii::SolverCG<Vector<Number>>>(
          control, matrix, x, b, dealii::PreconditionIdentity());
      else
        run<dealii::SolverCG<Vector<Number>>>(control, matrix, x, b, preconditioner);
    }
  } // namespace

  template <typename Number>
  SolveReport
  solve_cg(const typename LinearMap<Number>::Argument &matrix,
           Vector<Number>                             &x,
           const Vector<Number>                       &b,
           const typename LinearMap<Number>::Argument &preconditioner,
           const SolverSettings                       &settings,
           const CGVariant                             variant)
  {
    ScaledSystem<Number> system(matrix, x, b);
    ResidualHistory history(variant == CGVariant::flexible ? "deal.II flexible CG" : "deal.II CG",
                            settings,
                            system.rhs_norm(),
                            system.unit());
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
            run(control, matrix, system.x(), system.b(), preconditioner, variant);
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

#define SALTUS_SOLVE_CG(Number)                                    \
  template SolveReport solve_cg<Number>(const LinearMap<Number> &, \
                                        Vector<Number> &,          \
                                        const Vector<Number> &,    \
                                        const LinearMap<Number> &, \
                                        const SolverSettings &,    \
                                        const CGVariant);
  SALTUS_SOLVE_CG(double)
  SALTUS_SOLVE_CG(float)
#undef SALTUS_SOLVE_CG
} // namespace Saltus
