// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_block_inverse_h
#define saltus_solvers_multigrid_block_inverse_h

#include <saltus/operators/blocks/line_diagonal.h>

#include <memory>
#include <utility>

namespace Saltus
{
  /// The inverse of the blocks on an operator's diagonal, which are elements or, where there are
  /// any, lines of elements.
  template <typename Number>
  class BlockInverse
  {
  public:
    using value_type = Number;

    /// Of elements.
    void
    reinit(BlockDiagonal<Number> &blocks)
    {
      of_lines.reset();
      correction = Vector<Number>();
      blocks.invert();
      of_elements.reinit(blocks);
    }

    /// Of lines.
    /// @param like a vector of the operator
    void
    reinit(ElementCouplings<Number> couplings,
           const ElementLines      &lines,
           const Vector<Number>    &like)
    {
      of_elements = {};
      of_lines    = std::make_unique<LineDiagonal<Number>>();
      of_lines->reinit(std::move(couplings), lines, like);
      correction = like;
    }

    /// That of elements, if there are no lines.
    const RoundedBlockDiagonal<Number> *
    blocks() const
    {
      return of_lines == nullptr ? &of_elements : nullptr;
    }

    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const
    {
      vmult(dst, Number(1), src);
    }

    /// `dst = factor B src`
    void
    vmult(Vector<Number> &dst, const Number factor, const Vector<Number> &src) const
    {
      if (of_lines != nullptr)
        of_lines->vmult(dst, factor, src);
      else
        of_elements.vmult(dst, factor, src);
    }

    /// `dst += factor B src`
    void
    vmult_add(Vector<Number> &dst, const Number factor, const Vector<Number> &src) const
    {
      if (of_lines != nullptr)
        {
          of_lines->vmult(correction, factor, src);
          dst += correction;
        }
      else
        of_elements.vmult_add(dst, factor, src);
    }

    /// Bytes on the device.
    std::size_t
    memory_consumption() const
    {
      return of_elements.memory_consumption() +
             (of_lines != nullptr ? of_lines->memory_consumption() : 0) +
             correction.data_size() * sizeof(Number);
    }

  private:
    RoundedBlockDiagonal<Number>          of_elements;
    std::unique_ptr<LineDiagonal<Number>> of_lines;
    mutable Vector<Number>                correction;
  };

} // namespace Saltus

#endif
