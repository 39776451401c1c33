// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>

#include <saltus/solvers/krylov/cg.h>

#include "recorded_solve.h"

namespace Saltus
{
  namespace
  {
    template <typename Solver, typename Number, typename VectorType, typename Preconditioner>
    void
    run(RecordingControl                    &control,
        const LinearMap<Number, VectorType> &matrix,
        VectorType                          &x,
        const VectorType                    &b,
        const Preconditioner                &preconditioner)
    {
      Solver solver(control);
      solver.connect_coefficients_slot([&](const Number step_length, const Number) {
        // r.z / p.Ap: of a positive matrix and preconditioner it is positive.
        if (step_length <= 0.)
          control.reason = "the matrix or the preconditioner is not positive";
      });
      solver.solve(matrix, x, b, preconditioner);
    }

    template <typename Number, typename VectorType>
    void
    run(RecordingControl                    &control,
        const LinearMap<Number, VectorType> &matrix,
        VectorType                          &x,
        const VectorType                    &b,
        const LinearMap<Number, VectorType> &preconditioner,
        const CGVariant                      variant)
    {
      if (variant == CGVariant::flexible)
        // Not with deal.II's identity: 9.4 then takes the product of the wrong vectors.
        run<dealii::SolverFlexibleCG<VectorType>>(control, matrix, x, b, preconditioner);
      else if (preconditioner.is_identity())
        // deal.II knows its own identity only, and then leaves out a copy and a product.
        run<dealii::SolverCG<VectorType>>(control, matrix, x, b, dealii::PreconditionIdentity());
      else
        run<dealii::SolverCG<VectorType>>(control, matrix, x, b, preconditioner);
    }

    template <typename Number, typename VectorType>
    SolveReport
    solve(const LinearMap<Number, VectorType> &matrix,
          VectorType                          &x,
          const VectorType                    &b,
          const LinearMap<Number, VectorType> &preconditioner,
          const SolverSettings                &settings,
          const CGVariant                      variant)
    {
      return recorded_solve(variant == CGVariant::flexible ? "deal.II flexible CG" : "deal.II CG",
                            SystemMatrix::positive_definite,
                            matrix,
                            x,
                            b,
                            settings,
                            [&](RecordingControl &control, VectorType &x, const VectorType &b) {
                              run(control, matrix, x, b, preconditioner, variant);
                            });
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
    return solve(matrix, x, b, preconditioner, settings, variant);
  }

  template <typename Number>
  SolveReport
  solve_cg(const typename LinearMap<Number, BlockVector<Number>>::Argument &matrix,
           BlockVector<Number>                                             &x,
           const BlockVector<Number>                                       &b,
           const typename LinearMap<Number, BlockVector<Number>>::Argument &preconditioner,
           const SolverSettings                                            &settings,
           const CGVariant                                                  variant)
  {
    return solve(matrix, x, b, preconditioner, settings, variant);
  }

#define SALTUS_SOLVE_CG(Number, VectorType)                                    \
  template SolveReport solve_cg<Number>(const LinearMap<Number, VectorType> &, \
                                        VectorType &,                          \
                                        const VectorType &,                    \
                                        const LinearMap<Number, VectorType> &, \
                                        const SolverSettings &,                \
                                        const CGVariant);
  SALTUS_SOLVE_CG(double, Vector<double>)
  SALTUS_SOLVE_CG(float, Vector<float>)
  SALTUS_SOLVE_CG(double, BlockVector<double>)
  SALTUS_SOLVE_CG(float, BlockVector<float>)
#undef SALTUS_SOLVE_CG
} // namespace Saltus
