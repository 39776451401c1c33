// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_block_jacobi_smoother_h
#define saltus_solvers_block_jacobi_smoother_h

#include <saltus/operators/laplace_operator.h>
#include <saltus/solvers/chebyshev.h>

#include <vector>

namespace Saltus
{
  /// Chebyshev iteration for a LaplaceOperator, preconditioned by the inverse of its block
  /// diagonal. A step is two passes: the residual, and everything else.
  template <int dim, typename Number>
  class BlockJacobiSmoother : public dealii::Subscriptor
  {
  public:
    /// @param matrix must live as long
    /// @param degree of the polynomial
    void
    initialize(const LaplaceOperator<dim, Number> &matrix, const unsigned int degree)
    {
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
      for (std::size_t k = 0; k < steps.size(); ++k)
        {
          const bool zero = from_zero && k == 0, one_before_zero = from_zero && k == 1;
          if (!zero)
            matrix->compute_residual(residual, x, b);
          inverse_blocks.vmult_and_combine(previous,
                                           steps[k].gradient,
                                           zero ? b : residual,
                                           zero ? Number(0) : 1 + steps[k].momentum,
                                           x,
                                           one_before_zero ? Number(0) : -steps[k].momentum);
          x.swap(previous);
        }
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
    const LaplaceOperator<dim, Number> *matrix = nullptr;
    BlockDiagonal<Number>               inverse_blocks;
    std::vector<ChebyshevStep<Number>>  steps;
    mutable Vector<Number>              previous, residual; ///< scratch
  };
} // namespace Saltus

#endif
