// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/precondition.h>

#include <saltus/solvers/multigrid/algebraic_level.h>
#include <saltus/solvers/multigrid/chebyshev.h>

#include <algorithm>

namespace Saltus
{
  template <typename Number>
  std::vector<Number>
  smoother_weights(const SparseMatrix<Number> &matrix, const unsigned int degree)
  {
    const auto shape = algebraic_vector<Number>(matrix.device(), matrix.m());
    return chebyshev_weights<Number>(
      largest_eigenvalue(matrix, dealii::PreconditionIdentity(), shape), degree);
  }

  template <typename Number>
  void
  AlgebraicLevel<Number>::descend(Vector<Number> &coarse_b)
  {
    // From zero, the first two steps are one product with the right-hand side.
    const std::size_t n_done = std::min<std::size_t>(2, smoother.size());
    if (n_done == 2)
      matrix.apply(-smoother[0] * smoother[1], b, smoother[0] + smoother[1], b, x);
    else
      x.equ(smoother[0], b);
    smooth(n_done);
    matrix.residual(residual, x, b);
    restriction.vmult(coarse_b, residual);
  }

  template <typename Number>
  void
  AlgebraicLevel<Number>::ascend(const Vector<Number> &coarse_x)
  {
    prolongation.vmult_add(x, coarse_x);
    if (smoother.size() > 1)
      smooth(0);
    else
      {
        matrix.smoothing_step(residual, x, smoother[0], b);
        x = residual; // a swap would leave the solution in the other array
      }
  }

  template <typename Number>
  void
  AlgebraicLevel<Number>::smooth(const std::size_t first_step)
  {
    for (std::size_t k = first_step; k < smoother.size(); ++k)
      {
        matrix.smoothing_step(residual, x, smoother[k], b);
        x.swap(residual);
      }
  }

  template <typename Number>
  std::size_t
  AlgebraicLevel<Number>::memory_consumption() const
  {
    std::size_t sum = (b.data_size() + x.data_size() + residual.data_size()) * sizeof(Number);
    for (const auto *part : {&matrix, &prolongation, &restriction})
      sum += part->memory_consumption();
    return sum;
  }

  template std::vector<double>
  smoother_weights(const SparseMatrix<double> &, const unsigned int);
  template std::vector<float>
  smoother_weights(const SparseMatrix<float> &, const unsigned int);
  template struct AlgebraicLevel<double>;
  template struct AlgebraicLevel<float>;
} // namespace Saltus
