// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>

#include <saltus/solvers/krylov/cg.h>

#include "recorded_solve.h"

namespace Saltus
{
  namespace
  {
    template <typename Solver, typename Number, typename Preconditioner>
    void
    run(RecordingControl        &control,
        const LinearMap<Number> &matrix,
        Vector<Number>          &x,
        const Vector<Number>    &b,
        const Preconditioner    &preconditioner)
    {
      Solver solver(control);
      solver.connect_coefficients_slot([&](const Number step_length, const Number) {
        // r.z / p.Ap: of a positive matrix and preconditioner it is positive.
        if (step_length <= 0.)
          control.reason = "the matrix or the preconditioner is not positive";
      });
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
    return recorded_solve(variant == CGVariant::flexible ? "deal.II flexible CG" : "deal.II CG",
                          matrix,
                          x,
                          b,
                          settings,
                          [&](RecordingControl     &control,
                              Vector<Number>       &x,
                              const Vector<Number> &b) {
                            run(control, matrix, x, b, preconditioner, variant);
                          });
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
