// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_face_matching_h
#define saltus_mesh_face_matching_h

#include <saltus/mesh/mesh_arrays.h>

#include <vector>

namespace Saltus
{
  /// Rounds after which match_faces() gives up.
  constexpr unsigned int max_matching_rounds = 7;

  /// Numbers for the faces of all elements, such that a face has the same number on both sides.
  /// Kernels then use one table of basis functions for both traces, the same one for all elements
  /// that they work on together.
  ///
  /// This is a colouring of the edges of a graph: elements are its nodes, interior faces its edges,
  /// numbers the colours; the edges at a node have different colours. As many colours as an element
  /// has faces are enough for nearly every mesh, though not for all; few faces are left over, if
  /// any.
  ///
  /// The first round goes through the elements and gives their faces numbers that are free on both
  /// sides; of triangles, it first goes from one to the next along strips that are as long as can
  /// be, whose faces get the numbers 0 and 1 in turn, see order_in_strips(). Each further round
  /// looks at the faces left over. If no number is free on both sides, a is free here, b there, and
  /// the elements that are joined by faces with the numbers b and a in turn form a chain (A. B.
  /// Kempe, Amer. J. Math. 2, 1879): exchanging a and b along the one that begins here makes b free
  /// on both sides, unless the chain ends on the other side. Then the gap moves some faces along
  /// the chain, and a chain of other numbers is exchanged at random. Later rounds follow longer
  /// chains.
  ///
  /// Everything is done in one order, with random numbers from one seed: the result is always the
  /// same. In the order of a space-filling curve it takes 0.2 to 0.9 microseconds an element.
  ///
  /// @param n_faces of an element, 4 at most
  /// @param faces `[e][f]`: of an interior face the element across and its number of the face
  /// @param n_rounds at most so many rounds; without any, faces have the numbers that they had
  /// @return `[e][f]`: new number of a face; an element's faces have all numbers from 0 on
  std::vector<unsigned char>
  match_faces(const unsigned int             n_faces,
              const std::vector<FaceRecord> &faces,
              const unsigned int             n_rounds = max_matching_rounds);
} // namespace Saltus

#endif
