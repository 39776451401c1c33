// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_algebraic_level_h
#define saltus_solvers_multigrid_algebraic_level_h

#include <saltus/base/algebra/sparse_matrix.h>

#include <vector>

namespace Saltus
{
  /// A vector of @p n unknowns that are no element's.
  template <typename Number>
  Vector<Number>
  algebraic_vector(const Device device, const std::size_t n)
  {
    return {device, static_cast<unsigned int>(n), 1, 1};
  }

  /// Of a Chebyshev smoother for a matrix with a unit diagonal, see chebyshev_weights(); the
  /// largest eigenvalue is estimated.
  template <typename Number>
  std::vector<Number>
  smoother_weights(const SparseMatrix<Number> &matrix, const unsigned int degree);

  /// A level of algebraic multigrid on a device: its matrix, which has a unit diagonal, the
  /// smoother, and the way to the next level and back.
  template <typename Number>
  struct AlgebraicLevel
  {
    /// Smooth from zero, and restrict the residual.
    void
    descend(Vector<Number> &coarse_b);

    /// Correct by the coarse solution, and smooth.
    void
    ascend(const Vector<Number> &coarse_x);

    std::size_t
    memory_consumption() const;

    SparseMatrix<Number> matrix, prolongation, restriction;
    std::vector<Number>  smoother; ///< weights of its steps

    /// Scratch: right-hand side, solution, residual. Steps of the smoother swap arrays, descend()
    /// and ascend() together an even number of times: recorded cycles know where they are.
    Vector<Number> b, x, residual;

  private:
    void
    smooth(const std::size_t first_step);
  };
} // namespace Saltus

#endif
