// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/precondition.h>

#include <saltus/solvers/algebraic_level.h>
#include <saltus/solvers/chebyshev.h>

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
  AlgebraicLevel<Number>::smooth(const bool from_zero)
  {
    for (std::size_t k = 0; k < smoother.size(); ++k)
      if (from_zero && k == 0)
        x.equ(smoother[k], b);
      else
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
