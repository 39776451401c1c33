// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_part_h
#define saltus_mesh_mesh_part_h

namespace Saltus
{
  /// Elements of a mesh that are worked on together, see ElementSpace::in_parts().
  enum class MeshPart : unsigned char
  {
    all,      ///< of a mesh on one rank
    interior, ///< those that need no ghosts, while messages between ranks are on their way
    border    ///< the others, right after their ghosts were set; may be all that the rank has
  };
} // namespace Saltus

#endif
