// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_second_order_group_h
#define saltus_mesh_second_order_group_h

namespace Saltus
{
  /// What GPUs read for second-order fluxes of the geometry of eight curved simplices that follow
  /// each other: what is at four points at a time in one piece, so that it can be copied as such.
  ///
  /// First there are, `[f][g]`, the elements' volumes over those of the elements across, or 1. Then
  /// come the points of the volume, each with its weight over the relative volume, which
  /// is \f$ |\det J| \f$ over its mean, and the metrics `[r][d]`, which are times that; then,
  /// face after face, its points in the order of the element across, each with the normal and the
  /// FaceGeometry of the element across; then those of faces that are taken together in their own
  /// order, each with that of the element itself: the normal, the tangents `[k][d]` and the parts
  /// along the normal. Of each of these lists, groups of four points have their numbers as
  /// `[number][point][g]`; the last one may have fewer points.
  template <int dim>
  struct SecondOrderGroup
  {
    int n_volume_points, n_face_points;

    static constexpr int n_elements      = 8;
    static constexpr int points_of_group = 4;
    static constexpr int in_volume       = 1 + dim * dim;   ///< numbers of a point
    static constexpr int on_face         = dim + dim * dim; ///< the same

    static constexpr int
    n_groups(const int n_points)
    {
      return (n_points + points_of_group - 1) / points_of_group;
    }

    /// Faces whose points are taken together for the element itself, where these are fewer groups.
    constexpr int
    faces_together() const
    {
      const int n = dim == 2 ? 3 : 2;
      return n_groups(n * n_face_points) < n * n_groups(n_face_points) ? n : 1;
    }

    /// @name Where lists begin
    /// @{
    static constexpr int
    volume()
    {
      return n_elements * (dim + 1);
    }

    constexpr int
    across(const int f) const
    {
      return volume() + n_elements * (in_volume * n_volume_points + on_face * n_face_points * f);
    }

    /// Of the faces from @p first on that are taken together.
    constexpr int
    own(const int first) const
    {
      return across(dim + 1) + n_elements * on_face * n_face_points * first;
    }

    constexpr int
    size() const
    {
      return own(dim + 1);
    }
    /// @}

    /// Points of group @p i of a list of @p n_points.
    static constexpr int
    points_of(const int n_points, const int i)
    {
      return n_points % points_of_group != 0 && i == n_points / points_of_group
               ? n_points % points_of_group
               : points_of_group;
    }

    /// Where group @p i of a list begins in it.
    static constexpr int
    begin(const int n_numbers, const int i)
    {
      return n_elements * points_of_group * n_numbers * i;
    }

    /// Where number @p c of point @p point of element @p g is in a group of @p n_points.
    static constexpr int
    place(const int n_points, const int c, const int point, const int g)
    {
      return n_elements * (c * n_points + point) + g;
    }
  };
} // namespace Saltus

#endif
