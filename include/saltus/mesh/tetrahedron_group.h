// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_tetrahedron_group_h
#define saltus_mesh_tetrahedron_group_h

#include <saltus/fe/simplex.h>

namespace Saltus
{
  /// What GPUs read of the geometry of eight tetrahedra that follow each other, in the order in
  /// which a warp reads it whose lane 4 g + t works on element g and, in a tile of eight points, on
  /// points t and 4 + t.
  ///
  /// Either these are modes, `[m][r][d][g]` and `mode_stride` from one to the next, so that lanes
  /// use different banks of shared memory: of the map's derivatives where the metrics are their
  /// products, else at low degrees of the metrics. Or they are metrics and normals at points: rows
  /// `[g][t][2]` of pairs, `[tile][r][d]` and then `[f][tile][d]`, the last tiles filled up with
  /// the last point. In the end there are always inverse masses times weights, a row a tile, filled
  /// up with zeros.
  struct TetrahedronGroup
  {
    int n_modes; ///< 0: at points
    int n_volume_points, n_face_points;

    static constexpr int n_elements     = 8;
    static constexpr int points_of_tile = 8;
    static constexpr int row            = n_elements * points_of_tile; ///< its length
    static constexpr int mode_stride    = 9 * n_elements + 4;

    /// Whether at degree @p degree modes may be those of the map's derivatives: else there is no
    /// room for them in shared memory.
    static constexpr bool
    may_be_of_tangents(const int degree)
    {
      return degree <= 3;
    }

    /// The degree of these modes.
    static constexpr int
    tangent_degree(const int degree)
    {
      return degree > 1 ? degree - 1 : 1;
    }

    /// Of elements with a basis of degree @p degree.
    static constexpr TetrahedronGroup
    of_degree(const int  degree,
              const bool of_tangents,
              const int  n_volume_points,
              const int  n_face_points)
    {
      const int n_modes = of_tangents   ? Simplex<3>::n_modes(tangent_degree(degree))
                          : degree <= 2 ? Simplex<3>::n_modes(degree)
                                        : 0;
      return {n_modes, n_volume_points, n_face_points};
    }

    static constexpr int
    n_tiles(const int n_points)
    {
      return (n_points + points_of_tile - 1) / points_of_tile;
    }

    /// @name Where things begin
    /// @{
    constexpr int
    normals(const int f, const int tile) const
    {
      return row * (9 * n_tiles(n_volume_points) + 3 * (f * n_tiles(n_face_points) + tile));
    }

    constexpr int
    inverse_masses(const int tile) const
    {
      return (n_modes > 0 ? mode_stride * n_modes : normals(4, 0)) + row * tile;
    }

    constexpr int
    size() const
    {
      return inverse_masses(n_tiles(n_volume_points));
    }
    /// @}

    /// In a row, number @p l of the points of its tile.
    static constexpr int
    in_row(const int g, const int l)
    {
      return 2 * (4 * g + l % 4) + l / 4;
    }
  };
} // namespace Saltus

#endif
