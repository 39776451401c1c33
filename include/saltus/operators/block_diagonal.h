// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_block_diagonal_h
#define saltus_operators_block_diagonal_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/vector.h>
#include <saltus/operators/element_kernels.h>

#include <vector>

namespace Saltus
{
  /// A symmetric matrix that couples no two elements: one full block an element, of which the lower
  /// triangle is stored. The inverse of an operator's block diagonal is block Jacobi.
  template <typename Number>
  class BlockDiagonal : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// Zeros, for vectors like @p vector.
    void
    reinit(const Vector<Number> &vector)
    {
      n_elements = vector.n_elements();
      n_modes    = vector.n_modes();
      matrices   = Memory<Number>(vector.device(),
                                static_cast<std::size_t>(n_blocks(n_elements)) * block_size *
                                  ElementRow::entry(n_modes, 0));
    }

    /// Entry i of @p values is that in row i and column @p column of its element's block.
    void
    set_column(const unsigned int column, const Vector<Number> &values)
    {
      kernels().set_column(n_elements, n_modes, column, values.data(), matrices.data());
    }

    /// Replace the matrix, which must be positive definite, by its inverse.
    void
    invert()
    {
      kernels().invert(n_elements, n_modes, matrices.data());
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      Assert(&dst != &src, dealii::ExcMessage("The matrix cannot work in place."));
      kernels().multiply(n_elements, n_modes, matrices.data(), src.data(), dst.data());
    }

    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

    void
    extract_diagonal(Vector<Number> &diagonal) const
    {
      kernels().diagonal(n_elements, n_modes, matrices.data(), diagonal.data());
    }

    std::size_t
    memory_consumption() const
    {
      return sizeof(*this) + matrices.size() * sizeof(Number);
    }

  private:
    const ElementKernels<Number> &
    kernels() const
    {
      return element_kernels<Number>(matrices.device());
    }

    unsigned int   n_elements = 0, n_modes = 0;
    Memory<Number> matrices;
  };


  /// `dst = factor src` with a factor for each element. The inverse mass matrix of affine elements
  /// is one.
  template <typename Number>
  class ElementScaling : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// @param factors one an element
    void
    reinit(const Device device, std::vector<Number> factors)
    {
      factors.resize(n_blocks(factors.size()) * block_size);
      values = Memory<Number>(device, factors);
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      element_kernels<Number>(values.device())
        .scale(src.n_elements(), src.n_modes(), values.data(), src.data(), dst.data());
    }

    void
    Tvmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, src);
    }

  private:
    Memory<Number> values;
  };
} // namespace Saltus

#endif
