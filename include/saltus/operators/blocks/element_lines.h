// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_lines_h
#define saltus_operators_blocks_element_lines_h

#include <saltus/operators/blocks/element_couplings.h>

#include <vector>

namespace Saltus
{
  /// Lines of elements along strong couplings, each to the next through a face: where elements are
  /// stretched, in the direction in which they are thin. There are none among elements that are
  /// coupled to all of their neighbours about equally, and most elements have no line.
  ///
  /// The faces with the strongest couplings join first. A face may join if its coupling is at least
  /// 4 times the weakest of one of its two elements, and if what arises is a line: no element has
  /// more than two links, and there are no closed lines. Of the elements that such faces join, the
  /// coupling of one must be 20 times as strong, else they are not stretched. (Flat triangles with
  /// an angle near 180 degrees have no weak coupling: lines must be able to pass them.)
  struct ElementLines
  {
    /// No line.
    ElementLines() = default;

    /// @param strengths a number for each coupling of an element, also with what is prescribed at
    /// the boundary, the same on both sides; couplings of elements with themselves do not count
    explicit ElementLines(const ElementCouplings<double> &strengths);

    unsigned int
    size() const
    {
      return starts.size() - 1;
    }

    bool
    empty() const
    {
      return size() == 0;
    }

    std::vector<int> starts = {0}; ///< line i has the places `starts[i]` to `starts[i + 1] - 1`
    std::vector<int> elements;     ///< `[place]`: the element there
    std::vector<int> couplings; ///< `[place]`: its coupling with the one before; -1 for the first
  };
} // namespace Saltus

#endif
