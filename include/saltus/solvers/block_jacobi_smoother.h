// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_block_jacobi_smoother_h
#define saltus_solvers_block_jacobi_smoother_h

#include <saltus/operators/block_diagonal.h>
#include <saltus/solvers/chebyshev.h>

#include <vector>

namespace Saltus
{
  /// Chebyshev iteration preconditioned by the inverse of an operator's block diagonal. A step is
  /// two passes: the residual, and everything else.
  /// @tparam Operator e.g. a LaplaceOperator, with `value_type`, `vmult`, `compute_residual`,
  /// `initialize_vector` and `compute_block_diagonal`
  template <typename Operator>
  class BlockJacobiSmoother : public dealii::Subscriptor
  {
    using Number = typename Operator::value_type;

  public:
    /// @param matrix must live as long
    /// @param degree of the polynomial
    void
    initialize(const Operator &matrix, const unsigned int degree)
    {
      AssertThrow(degree > 0,
                  dealii::ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
      this->matrix = &matrix;
      matrix.compute_block_diagonal(inverse_blocks);
      inverse_blocks.invert();
      matrix.initialize_vector(previous);
      matrix.initialize_vector(residual);
      const double largest = largest_eigenvalue(matrix, inverse_blocks, previous);
      steps                = chebyshev_steps<Number>(largest, degree);
    }

    /// Improve @p x, or start from zero whatever it contains.
    void
    smooth(Vector<Number> &x, const Vector<Number> &b, const bool from_zero) const
    {
      check_shape(x.shape(), previous.shape(), "Chebyshev smoother");
      check_shape(b.shape(), previous.shape(), "Chebyshev smoother");
      chebyshev_iteration(
        steps,
        x,
        b,
        from_zero,
        previous,
        residual,
        [&](auto &r, const auto &at, const auto &rhs) { matrix->compute_residual(r, at, rhs); },
        [&](auto &y, const auto &...terms) { inverse_blocks.vmult_and_combine(y, terms...); });
    }

    /// As a preconditioner: the iteration from zero.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      smooth(dst, src, true);
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return inverse_blocks.memory_consumption() +
             (previous.data_size() + residual.data_size()) * sizeof(Number);
    }

  private:
    const Operator                    *matrix = nullptr;
    BlockDiagonal<Number>              inverse_blocks;
    std::vector<ChebyshevStep<Number>> steps;
    mutable Vector<Number>             previous, residual; ///< scratch
  };
} // namespace Saltus

#endif
