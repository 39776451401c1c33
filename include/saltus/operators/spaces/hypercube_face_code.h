// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hypercube_face_code_h
#define saltus_operators_spaces_hypercube_face_code_h

#include <saltus/mesh/mesh_arrays.h>

namespace Saltus
{
  /// What a face of a quadrilateral or hexahedron is to an elliptic operator, in four bytes rather
  /// than the eight of a FaceRecord: of small elements, records are a good part of what is read.
  class HypercubeFaceCode
  {
  public:
    /// As many elements can be told apart.
    static constexpr int max_elements = 1 << 26;

    HypercubeFaceCode() = default;

    SALTUS_HOST_DEVICE
    explicit HypercubeFaceCode(const unsigned int word)
      : word(word)
    {}

    /// Of a face with an element of the same size across.
    static HypercubeFaceCode
    of_interior(const FaceRecord &record)
    {
      return HypercubeFaceCode(static_cast<unsigned int>(record.neighbor) << 6 | record.face << 3 |
                               record.orientation);
    }

    /// Of a face without one.
    /// @param element which has the face, and stands in for what is across
    /// @param terms whether there are terms that faces inside do not have
    static HypercubeFaceCode
    of_alone(const unsigned int element, const bool dirichlet, const bool terms)
    {
      return HypercubeFaceCode(element << 6 | alone | (dirichlet ? 1 : 0) | (terms ? 2 : 0));
    }

    SALTUS_HOST_DEVICE
    unsigned int
    bits() const
    {
      return word;
    }

    SALTUS_HOST_DEVICE
    int
    element() const
    {
      return word >> 6;
    }

    SALTUS_HOST_DEVICE
    bool
    is_alone() const
    {
      return (word & alone) == alone;
    }

    /// Its number across; where it is alone that here, @p f.
    SALTUS_HOST_DEVICE
    int
    face(const int f) const
    {
      return is_alone() ? f : word >> 3 & 7;
    }

    SALTUS_HOST_DEVICE
    int
    orientation() const
    {
      return is_alone() ? 0 : word & 7;
    }

    SALTUS_HOST_DEVICE
    bool
    is_dirichlet() const
    {
      return is_alone() && (word & 1) != 0;
    }

    SALTUS_HOST_DEVICE
    bool
    has_terms() const
    {
      return is_alone() && (word & 2) != 0;
    }

  private:
    static constexpr unsigned int alone = 7 << 3; ///< in place of a face's number

    unsigned int word;
  };
} // namespace Saltus

#endif
