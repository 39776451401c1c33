// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_shifted_operator_h
#define saltus_tests_helpers_shifted_operator_h

#include <saltus/operators/elliptic/laplace_operator.h>

#include <helpers/vectors.h>
#include <vector>

namespace Saltus::Tests
{
  /// `factor A + shift I` with the Laplace operator A and the identity of coefficients: an operator
  /// of a program's own for PMultigrid.
  template <int dim, typename Number>
  class ShiftedOperator : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    static constexpr int dimension = dim;

    template <typename OtherNumber>
    void
    reinit(const ShiftedOperator<dim, OtherNumber> &other, const unsigned int degree)
    {
      factor = other.factor;
      shift  = other.shift;
      laplace.reinit(other.laplace, degree);
    }

    unsigned int
    degree() const
    {
      return laplace.degree();
    }

    std::size_t
    m() const
    {
      return laplace.m();
    }

    const auto &
    element_space() const
    {
      return laplace.element_space();
    }

    std::size_t
    memory_consumption() const
    {
      return laplace.memory_consumption();
    }

    void
    initialize_vector(Vector<Number> &vector) const
    {
      laplace.initialize_vector(vector);
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      laplace.vmult(dst, src);
      dst.sadd(factor, shift, src);
    }

    void
    compute_residual(Vector<Number> &dst, const Vector<Number> &x, const Vector<Number> &b) const
    {
      const Vector<Number> rhs(b); // dst may be b
      vmult(dst, x);
      dst.sadd(-1, rhs);
    }

    /// Column by column.
    void
    compute_block_diagonal(BlockDiagonal<Number> &blocks) const
    {
      BlockDiagonal<Number> of_laplace;
      laplace.compute_block_diagonal(of_laplace);
      Vector<Number> unit = zeros(*this), column = unit;
      blocks.reinit(unit);
      for (unsigned int m = 0; m < unit.n_modes(); ++m)
        {
          std::vector<Number> values(unit.data_size());
          for (unsigned int e = 0; e < unit.n_elements(); ++e)
            values[unit.layout().coefficients().index(e, m)] = 1;
          unit.copy_from_host(values.data());
          of_laplace.vmult(column, unit);
          column.sadd(factor, shift, unit);
          blocks.set_column(m, column);
        }
    }

    ElementCouplings<Number>
    couplings() const
    {
      ElementCouplings<Number> result = laplace.couplings();
      for (Number &value : result.values)
        value *= factor;
      for (unsigned int e = 0; e < result.n_elements; ++e)
        for (unsigned int i = 0; i < result.n_modes; ++i)
          result.block(e, 0)[i * result.n_modes + i] += shift;
      return result;
    }

    ElementCouplings<double>
    coupling_strengths() const
    {
      return laplace.coupling_strengths();
    }

    bool
    is_singular() const
    {
      return false;
    }

    Number
    remove_null_space(Vector<Number> &) const
    {
      return 0;
    }

    Number                       factor = 1, shift = 0;
    LaplaceOperator<dim, Number> laplace;
  };
} // namespace Saltus::Tests

#endif
