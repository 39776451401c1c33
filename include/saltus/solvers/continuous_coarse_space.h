// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_continuous_coarse_space_h
#define saltus_solvers_continuous_coarse_space_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>

#include <saltus/mesh/element_mesh.h>

#include <vector>

namespace Saltus
{
  /// The embedding of the continuous piecewise linear functions in the discontinuous ones of degree
  /// 1: the matrix P from values at the vertices to coefficients of FE_SimplexDGModal(1). With an
  /// interior penalty matrix A of degree 1, \f$P^TAP\f$ is the matrix of linear finite elements
  /// (jumps and the penalty vanish inside; Dirichlet conditions are imposed weakly as in A), which
  /// algebraic multigrid treats far better than A itself.
  ///
  /// Unknowns are the vertices that cells use, numbered in the order in which the cells meet them;
  /// vertices that periodic boundaries make one are one unknown.
  ///
  /// @param dof_handler of FE_SimplexDGModal(1) on a conforming mesh
  /// @param periodic boundaries that are one
  /// @param prolongation rows in deal.II's numbering
  /// @throws dealii::ExcMessage for another element or degree, hanging cells, and periodic
  /// boundaries that do not match
  template <int dim>
  void
  make_continuous_coarse_space(const dealii::DoFHandler<dim>          &dof_handler,
                               const std::vector<PeriodicBoundary>    &periodic,
                               dealii::TrilinosWrappers::SparseMatrix &prolongation);

  /// \f$P^TAP\f$
  void
  galerkin_product(const dealii::TrilinosWrappers::SparseMatrix &A,
                   const dealii::TrilinosWrappers::SparseMatrix &P,
                   dealii::TrilinosWrappers::SparseMatrix       &result);
} // namespace Saltus

#endif
