// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_cg_h
#define saltus_solvers_krylov_cg_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/solve_report.h>

namespace Saltus
{
  enum class CGVariant
  {
    standard,
    flexible ///< for preconditioners that change from one application to the next; one more product
             ///< of vectors an iteration
  };

  /// Solve \f$A x = b\f$ for a symmetric positive matrix with deal.II's conjugate gradients
  /// (dealii::SolverCG, dealii::SolverFlexibleCG) where the vectors are; numbers of iterations and
  /// time in the report. Data may have any size that numbers have, also those of a preconditioner
  /// in single precision: see unit_of_system().
  ///
  /// @param x the initial guess, then the solution
  /// @throws NoConvergence if the tolerance is not reached, a residual is not a number, or the
  /// matrix or the preconditioner turns out not to be positive
  template <typename Number>
  SolveReport
  solve_cg(const typename LinearMap<Number>::Argument &matrix,
           Vector<Number>                             &x,
           const Vector<Number>                       &b,
           const typename LinearMap<Number>::Argument &preconditioner = {},
           const SolverSettings                       &settings       = {},
           const CGVariant                             variant        = CGVariant::standard);

  /// The same on a mesh that mixes shapes.
  template <typename Number>
  SolveReport
  solve_cg(const typename LinearMap<Number, BlockVector<Number>>::Argument &matrix,
           BlockVector<Number>                                             &x,
           const BlockVector<Number>                                       &b,
           const typename LinearMap<Number, BlockVector<Number>>::Argument &preconditioner = {},
           const SolverSettings                                            &settings       = {},
           const CGVariant variant = CGVariant::standard);
} // namespace Saltus

#endif
