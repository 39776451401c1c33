// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_block_jacobi_smoother_h
#define saltus_solvers_multigrid_block_jacobi_smoother_h

#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/multigrid/chebyshev.h>
#include <saltus/solvers/multigrid/on_shapes.h>

#include <vector>

namespace Saltus
{
  /// `x += weight B (b - A x)` with any operator A. LaplaceOperator has a method for it.
  template <typename Operator, typename VectorType, typename Inverse>
  void
  smoothing_step(const Operator                       &A,
                 VectorType                           &x,
                 const VectorType                     &b,
                 const Inverse                        &B,
                 const typename VectorType::value_type weight,
                 VectorType                           &scratch)
  {
    A.compute_residual(scratch, x, b);
    B.vmult_add(x, weight, scratch);
  }

  template <int dim, typename Number>
  void
  smoothing_step(const LaplaceOperator<dim, Number> &A,
                 Vector<Number>                     &x,
                 const Vector<Number>               &b,
                 const BlockInverse<Number>         &B,
                 const Number                        weight,
                 Vector<Number>                     &scratch)
  {
    if (B.blocks() != nullptr)
      A.smoothing_step(x, b, *B.blocks(), weight, scratch);
    else
      {
        A.compute_residual(scratch, x, b);
        B.vmult_add(x, weight, scratch);
      }
  }


  /// Chebyshev iteration preconditioned by the inverse of an operator's block diagonal, whose
  /// blocks are elements or, where there are any, lines of elements.
  /// @tparam Operator e.g. a LaplaceOperator, with `value_type`, `vmult`, `compute_residual`,
  /// `initialize_vector`, `compute_block_diagonal` and, for lines, `couplings`; or a
  /// MixedLaplaceOperator
  template <typename Operator>
  class BlockJacobiSmoother : public dealii::Subscriptor
  {
    using Number     = typename Operator::value_type;
    using VectorType = VectorOf<Operator>;
    using Shapes     = OnShapes<VectorType>;

  public:
    using Lines = typename Shapes::Lines;

    /// @param matrix must live as long
    /// @param degree of the polynomial
    void
    initialize(const Operator &matrix, const unsigned int degree, const Lines &lines = Lines())
    {
      AssertThrow(degree > 0,
                  dealii::ExcMessage("The Chebyshev smoother needs a degree of at least 1."));
      this->matrix = &matrix;
      matrix.initialize_vector(scratch);
      Shapes::set_up(inverse, matrix, lines, scratch);
      weights = chebyshev_weights<Number>(largest_eigenvalue(matrix, inverse, scratch), degree);
    }

    /// Improve @p x, or start from zero whatever it contains.
    void
    smooth(VectorType &x, const VectorType &b, const bool from_zero) const
    {
      check_same_layout(x, scratch, "Chebyshev smoother");
      check_same_layout(b, scratch, "Chebyshev smoother");
      for (std::size_t k = 0; k < weights.size(); ++k)
        if (from_zero && k == 0)
          inverse.vmult(x, weights[k], b);
        else
          smoothing_step(*matrix, x, b, inverse, weights[k], scratch);
    }

    /// As a preconditioner: the iteration from zero.
    void
    vmult(VectorType &dst, const VectorType &src) const
    {
      smooth(dst, src, true);
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return inverse.memory_consumption() + scratch.data_size() * sizeof(Number);
    }

  private:
    const Operator          *matrix = nullptr;
    typename Shapes::Inverse inverse;
    std::vector<Number>      weights;
    mutable VectorType       scratch;
  };
} // namespace Saltus

#endif
