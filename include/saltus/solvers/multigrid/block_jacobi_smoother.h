// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_block_jacobi_smoother_h
#define saltus_solvers_multigrid_block_jacobi_smoother_h

#include <saltus/operators/blocks/line_diagonal.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/multigrid/chebyshev.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// `x += weight B (b - A x)` with any operator A. LaplaceOperator has a method for it.
  template <typename Operator, typename Number>
  void
  smoothing_step(const Operator                     &A,
                 Vector<Number>                     &x,
                 const Vector<Number>               &b,
                 const RoundedBlockDiagonal<Number> &B,
                 const Number                        weight,
                 Vector<Number>                     &scratch)
  {
    A.compute_residual(scratch, x, b);
    B.vmult_add(x, weight, scratch);
  }

  template <int dim, typename Number>
  void
  smoothing_step(const LaplaceOperator<dim, Number> &A,
                 Vector<Number>                     &x,
                 const Vector<Number>               &b,
                 const RoundedBlockDiagonal<Number> &B,
                 const Number                        weight,
                 Vector<Number>                     &scratch)
  {
    A.smoothing_step(x, b, B, weight, scratch);
  }


  /// Chebyshev iteration preconditioned by the inverse of an operator's block diagonal, whose
  /// blocks are elements or, where there are any, lines of elements.
  /// @tparam Operator e.g. a LaplaceOperator, with `value_type`, `vmult`, `compute_residual`,
  /// `initialize_vector`, `compute_block_diagonal` and, for lines, `couplings`
  template <typename Operator>
  class BlockJacobiSmoother : public dealii::Subscriptor
  {
    using Number = typename Operator::value_type;

  public:
    /// @param matrix must live as long
    /// @param degree of the polynomial
    void
    initialize(const Operator     &matrix,
               const unsigned int  degree,
               const ElementLines &lines = ElementLines())
    {
      AssertThrow(degree > 0,
                  dealii::ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
      this->matrix = &matrix;
      matrix.initialize_vector(scratch);
      inverse_blocks = {};
      inverse_lines.reset();
      correction = Vector<Number>();
      if (lines.empty())
        {
          BlockDiagonal<Number> blocks;
          matrix.compute_block_diagonal(blocks);
          blocks.invert();
          inverse_blocks.reinit(blocks);
          weights = steps(inverse_blocks, degree);
        }
      else
        {
          inverse_lines = std::make_unique<LineDiagonal<Number>>();
          inverse_lines->reinit(matrix.couplings(), lines, scratch);
          matrix.initialize_vector(correction);
          weights = steps(*inverse_lines, degree);
        }
    }

    /// Improve @p x, or start from zero whatever it contains.
    void
    smooth(Vector<Number> &x, const Vector<Number> &b, const bool from_zero) const
    {
      check_layout(x.layout(), scratch.layout(), "Chebyshev smoother");
      check_layout(b.layout(), scratch.layout(), "Chebyshev smoother");
      for (std::size_t k = 0; k < weights.size(); ++k)
        if (inverse_lines != nullptr)
          line_step(weights[k], x, b, from_zero && k == 0);
        else if (from_zero && k == 0)
          inverse_blocks.vmult(x, weights[k], b);
        else
          smoothing_step(*matrix, x, b, inverse_blocks, weights[k], scratch);
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
             (inverse_lines != nullptr ? inverse_lines->memory_consumption() : 0) +
             (scratch.data_size() + correction.data_size()) * sizeof(Number);
    }

  private:
    template <typename Preconditioner>
    std::vector<Number>
    steps(const Preconditioner &inverse, const unsigned int degree) const
    {
      return chebyshev_weights<Number>(largest_eigenvalue(*matrix, inverse, scratch), degree);
    }

    /// `x += weight B (b - A x)`
    void
    line_step(const Number          weight,
              Vector<Number>       &x,
              const Vector<Number> &b,
              const bool            from_zero) const
    {
      if (from_zero)
        inverse_lines->vmult(x, weight, b);
      else
        {
          matrix->compute_residual(scratch, x, b);
          inverse_lines->vmult(correction, weight, scratch);
          x += correction;
        }
    }

    const Operator                       *matrix = nullptr;
    RoundedBlockDiagonal<Number>          inverse_blocks;
    std::unique_ptr<LineDiagonal<Number>> inverse_lines; ///< in their place, if there are lines
    std::vector<Number>                   weights;
    mutable Vector<Number>                scratch, correction;
  };
} // namespace Saltus

#endif
