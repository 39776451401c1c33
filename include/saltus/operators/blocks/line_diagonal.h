// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_line_diagonal_h
#define saltus_operators_blocks_line_diagonal_h

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/blocks/element_lines.h>

namespace Saltus
{
  /// The inverse of the part of a symmetric positive definite matrix that couples elements with
  /// themselves and with the elements before and after them in a line: block Jacobi along lines. It
  /// is kept as \f$ L^{-T} S^{-1} L^{-1} \f$ with the block diagonal matrix S of the pivots and the
  /// factors of LineSweep in L.
  template <typename Number>
  class LineDiagonal : public dealii::Subscriptor
  {
  public:
    using value_type = Number;

    /// Where the part of the matrix along a line turns out not to be positive definite, because
    /// elements of the line are coupled in other ways, too, the line is cut.
    /// @param matrix its blocks on the diagonal are used up
    /// @param like a vector of the matrix
    void
    reinit(ElementCouplings<Number> matrix, const ElementLines &lines, const Vector<Number> &like);

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, Number(1), src);
    }

    /// `dst = factor A src` with the inverse A
    void
    vmult(Vector<Number> &dst, const Number factor, const Vector<Number> &src) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    void
    sweep(Vector<Number> &x, const bool forward) const;

    Memory<int>            starts, elements;
    Memory<Number>         factors;
    BlockDiagonal<Number>  inverse_pivots;
    mutable Vector<Number> scratch;
  };
} // namespace Saltus

#endif
