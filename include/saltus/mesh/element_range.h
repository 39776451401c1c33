// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_range_h
#define saltus_mesh_element_range_h

#include <saltus/mesh/mesh_arrays.h>

namespace Saltus
{
  /// Elements that are worked on by one kernel at a time: whole blocks, but for the end of the
  /// mesh. A block is of the most general of its elements. What depends on a degree is known to
  /// spaces, see ElementSpace::on_range().
  struct ElementRange
  {
    ElementShape shape        = ElementShape::simplex;
    GeometryKind kind         = GeometryKind::affine;
    bool         needs_ghosts = false; ///< whether an element of it has a neighbour on another rank
    unsigned int begin = 0, end = 0;   ///< elements
  };

  /// How a range is launched, for kernels that may begin while the one before still runs.
  struct RangeLaunch
  {
    bool is_first        = true;  ///< right after what all ranges wait for
    bool beside_messages = false; ///< while messages between ranks are on their way
    bool after_messages  = false; ///< the first one of those that need ghosts
    bool is_all          = true;  ///< all elements of the rank are in the range

    /// Whether a kernel on the range may begin while the kernel before it still runs. On a part of
    /// the elements, perhaps no thread waits for the kernel before. The early kernel then ends
    /// first, and kernels on later ranges read states that do not exist yet. Beside messages, an
    /// early kernel would occupy multiprocessors before it can work.
    bool
    may_begin_early() const
    {
      return is_first && is_all && !beside_messages;
    }
  };
} // namespace Saltus

#endif
