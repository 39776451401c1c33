// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_along_layout_h
#define saltus_operators_elliptic_kernels_along_layout_h

#include <saltus/base/algebra/block_layout.h>

#include <cstddef>

namespace Saltus
{
  /// Where PointwiseForm has the combinations of derivatives that fluxes are: at every point of a
  /// face one number for each of the dim reference directions.
  ///
  /// Threads or lanes that have an element each take them as `[f][q][r][l]`, l being the element of
  /// a block. Kernels with tensor cores take four points of two elements: groups of four points, of
  /// which the last one of a face may have fewer, each as `[r][l / 2][point][l % 2]`. Then those of
  /// an element that is not read with others are in one line of memory rather than in four.
  template <int dim>
  struct AlongLayout
  {
    static constexpr int n_together = 4, n_beside = 2; ///< points and elements

    int  n_faces;
    int  n_face_points; ///< of a face
    bool in_groups;

    /// Of a face.
    constexpr int
    n_groups() const
    {
      return (n_face_points + n_together - 1) / n_together;
    }

    constexpr int
    points_of(const int group) const
    {
      const int rest = n_face_points - n_together * group;
      return rest < n_together ? rest : n_together;
    }

    /// Where the numbers begin of the block that has element @p i of those that are stored.
    constexpr std::size_t
    block(const int i) const
    {
      return static_cast<std::size_t>(i / block_size) * block_size * n_faces * n_face_points * dim;
    }

    /// Where in a block in groups the number of direction @p r at a point of a group is for element
    /// @p l of the block.
    constexpr int
    place_in_group(const int l, const int f, const int group, const int point, const int r) const
    {
      const int n = points_of(group);
      return ((f * n_face_points + n_together * group) * dim + r * n) * block_size +
             (l / n_beside * n + point) * n_beside + l % n_beside;
    }

    /// Where in a block that at point @p q of face @p f is, in groups or not.
    constexpr int
    place(const int l, const int f, const int q, const int r) const
    {
      return in_groups ? place_in_group(l, f, q / n_together, q % n_together, r)
                       : ((f * n_face_points + q) * dim + r) * block_size + l;
    }

    /// The same in all, for element @p i of those that are stored.
    constexpr std::size_t
    operator()(const int i, const int f, const int q, const int r) const
    {
      return block(i) + place(i % block_size, f, q, r);
    }
  };
} // namespace Saltus

#endif
