// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_belos_h
#define saltus_solvers_krylov_belos_h

#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/multi_vector.h>
#include <saltus/solvers/krylov/solve_report.h>

#include <vector>

namespace Saltus
{
  enum class BelosMethod
  {
    pseudo_block_cg, ///< every right-hand side for itself, side by side, until it has converged
    block_cg, ///< all right-hand sides, which must be linearly independent, share a Krylov space:
              ///< fewer iterations for more work in each
    gmres     ///< flexible, for any matrix; one right-hand side after the other
  };

  /// Solve \f$A X = B\f$ for a symmetric positive matrix and one or several right-hand sides with
  /// the conjugate gradients of Trilinos' Belos (PseudoBlockCGSolMgr, BlockCGSolMgr), or for any
  /// matrix with its GMRES (BlockGmresSolMgr), which starts again after 60 iterations. All vectors
  /// stay on their device, and only scalars move in an iteration.
  ///
  /// @param x the initial guesses, then the solutions
  /// @param preconditioner from the left, symmetric and positive; for GMRES any, from the right
  /// @return a report for every right-hand side; the time is that of all together
  /// @throws NoConvergence for the first right-hand side whose tolerance is not reached, or if
  /// Belos' conjugate gradients find that the matrix or the preconditioner is not positive
  template <typename Number>
  std::vector<SolveReport>
  solve_belos(const typename LinearMap<Number>::Argument &matrix,
              MultiVector<Number>                        &x,
              const MultiVector<Number>                  &b,
              const typename LinearMap<Number>::Argument &preconditioner = {},
              const SolverSettings                       &settings       = {},
              const BelosMethod                           method = BelosMethod::pseudo_block_cg);

  /// The same for one right-hand side.
  template <typename Number>
  SolveReport
  solve_belos(const typename LinearMap<Number>::Argument &matrix,
              Vector<Number>                             &x,
              const Vector<Number>                       &b,
              const typename LinearMap<Number>::Argument &preconditioner = {},
              const SolverSettings                       &settings       = {},
              const BelosMethod                           method = BelosMethod::pseudo_block_cg);
} // namespace Saltus

#endif
