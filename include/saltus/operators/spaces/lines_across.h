// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_lines_across_h
#define saltus_operators_spaces_lines_across_h

#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/line_tables.h>

namespace Saltus
{
  /// The other side of a face of quadrilaterals or hexahedra with @p n points on a line: where in
  /// the coefficients across the line behind the first of this side's points begins, and how far it
  /// is to the line behind the next point in each of this side's directions of the face, and along
  /// a line. Lines begin at the face.
  template <int dim, int n>
  struct LinesAcross
  {
    LinesAcross() = default;

    SALTUS_HOST_DEVICE
    LinesAcross(const int neighbor, const int face, const int orientation)
      : neighbor(neighbor)
      , face(face)
    {
      set_places(orientation);
    }

    /// The direction across in which the points of this side's direction @p t of the face follow
    /// each other.
    SALTUS_HOST_DEVICE
    int
    direction(const int t) const
    {
      return dim == 2 ? 1 - face / 2 : (is_swapped(t) ? pick(2, 0, 1) : pick(1, 2, 0));
    }

    /// The number of an entry of a symmetric tensor across, as CoefficientArrays counts them: with
    /// the face's direction twice.
    SALTUS_HOST_DEVICE
    int
    normal_entry() const
    {
      return dim == 2 ? face / 2 * 2 : pick(0, 3, 5);
    }

    /// With the face's direction and direction(t).
    SALTUS_HOST_DEVICE
    int
    tangential_entry(const int t) const
    {
      return dim == 2 ? 1 : (is_swapped(t) ? pick(2, 1, 4) : pick(1, 4, 2));
    }

    /// Whether this side's normal and direction @p t of the face are in the directions across
    /// either both reversed, or both not.
    SALTUS_HOST_DEVICE
    bool
    turns_normal_with(const int t) const
    {
      return (face % 2 == 1) != (along[t] > 0);
    }

    int neighbor, face;
    int start, along[dim - 1], step;

  private:
    static_assert(n * n < 256, "what pick() holds");

    bool swaps = false;

    /// Whether direction @p t of this side's face is the second one across.
    SALTUS_HOST_DEVICE
    bool
    is_swapped(const int t) const
    {
      return (t == 1) != swaps;
    }

    /// The one of three small numbers that goes with the direction across the face: GPUs choose it
    /// without comparisons.
    SALTUS_HOST_DEVICE
    int
    pick(const int first, const int second, const int third) const
    {
      return (first | second << 8 | third << 16) >> (face / 2 * 8) & 255;
    }

    /// Point `(a, b)` of this side's face is `(a, b)` or `(b, a)` across, with indices reversed.
    SALTUS_HOST_DEVICE
    void
    set_places(const int orientation)
    {
      step  = pick(1, n, n * n);
      start = 0;
      reverse_if(face % 2 == 1, step);
      if constexpr (dim == 2)
        {
          along[0] = pick(n, 1, 0);
          reverse_if(orientation == 1, along[0]);
        }
      else
        {
          int first = pick(n, n * n, 1), second = pick(n * n, 1, n);
          reverse_if(0xCC >> orientation & 1, first);
          reverse_if(orientation >= 4, second);
          swaps          = 0x5A >> orientation & 1;
          along[0]       = swaps ? second : first;
          along[dim - 2] = swaps ? first : second;
        }
    }

    SALTUS_HOST_DEVICE
    void
    reverse_if(const bool reverses, int &distance)
    {
      start += reverses ? (n - 1) * distance : 0;
      distance = reverses ? -distance : distance;
    }
  };
} // namespace Saltus

#endif
