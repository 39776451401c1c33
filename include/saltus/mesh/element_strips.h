// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_element_strips_h
#define saltus_mesh_element_strips_h

#include <saltus/mesh/element_range.h>
#include <saltus/mesh/mesh_arrays.h>

#include <vector>

/// Strips are chains of triangles in which each meets the next, by faces with the numbers 0 and 1
/// in turn, see match_faces(). Kernels read the neighbours of eight elements together. Where these
/// are every other one of a strip, their neighbours by face 0 are the eight in between, and those
/// by face 1 are the same but one; those by face 2 often are in one strip, too. Then there are
/// three lines of memory to read a face, where along a space-filling curve there are five.
///
/// Tetrahedra stay as they are: two of their faces would gain, the others lose more.
namespace Saltus
{
  /// The order of elements in strips: eight of the one half of a strip's elements, then eight of
  /// the other, by turns. Elements stay in their ranges, and where they are on the space-filling
  /// curve but for 512 places, so that what is near in space stays near in memory; those whose
  /// geometry is stored stay in their groups, see order_in_groups().
  /// @param n_faces of an element
  /// @param faces `[e][f]`
  /// @return `[e]`: the element that is to be at this place
  std::vector<unsigned int>
  order_in_strips(const unsigned int               n_faces,
                  const std::vector<FaceRecord>   &faces,
                  const std::vector<ElementRange> &ranges);
} // namespace Saltus

#endif
