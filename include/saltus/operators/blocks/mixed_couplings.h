// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_mixed_couplings_h
#define saltus_operators_blocks_mixed_couplings_h

#include <saltus/operators/blocks/element_couplings.h>

#include <vector>

namespace Saltus
{
  /// ElementCouplings on a mesh that mixes shapes.
  template <typename Number>
  struct MixedCouplings
  {
    std::vector<ElementCouplings<Number>> of_shapes;

    /// `[i][a][b]`, in the order of find_mixed_faces(): row a of the element that sees the face,
    /// column b of the element across.
    std::vector<std::vector<Number>> across;
  };
} // namespace Saltus

#endif
