// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_element_group_h
#define saltus_operators_spaces_element_group_h

#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/spaces/quadrature_tables.h>

namespace Saltus
{
  /// `width` elements that are worked on at once, one a lane of `T`: a SIMD pack on the CPU, a
  /// single number (and element) in a thread of a GPU. What integrals by quadrature need to know
  /// of their place in the mesh.
  ///
  /// @tparam kind of the elements' geometry
  /// @tparam Tables the reference element, see QuadratureTables
  template <GeometryKind kind, int dim, typename T, typename Number, int width, typename Tables>
  class ElementGroup
  {
  protected:
    using Direction = Array<T, dim>;
    using Geometry  = GeometryView<kind, dim, T, Number>;

    /// Points of a face that are worked on together: what is read of a neighbour is read as many
    /// times less.
    static constexpr int batch = 4;

    /// A face of each element, at one of its points: at_point().
    struct Face
    {
      FaceRecord across[width];
      int        neighbors[width]; ///< the element itself as a stand-in where there is none
      bool       at_boundary = false, hangs = false; ///< whether one of them is, or does
      Direction  normal;                             ///< outward, of length 1
      T          length;                             ///< the face's area over volume_factor()
    };

    /// Elements from @p first on. Lanes beyond the last element repeat it.
    SALTUS_HOST_DEVICE
    ElementGroup(const MeshArrays<Number>   &mesh,
                 const StoredArrays<Number> &stored,
                 const Tables               &tables,
                 const int                   first)
      : tables(tables)
      , geometry(geometry_view<kind>(
          stored,
          first,
          affine_geometry<dim, T>(mesh.inverse_jacobians,
                                  set_elements(first, mesh.n_elements - first))))
      , mesh(mesh)
      , n_left(mesh.n_elements - first)
    {}

    /// The geometry of the elements across a face, for AffineGeometry::at_face_point() with its
    /// number and points. Affine elements take those across for affine, too: beside a curved one,
    /// elements must be stored themselves.
    SALTUS_HOST_DEVICE
    auto
    geometry_across(const Face &face) const
    {
      if constexpr (Geometry::is_constant)
        return affine_geometry<dim, T>(mesh.inverse_jacobians, face.neighbors);
      else
        return typename Geometry::Across(geometry);
    }

    /// At its first point.
    SALTUS_HOST_DEVICE
    Face
    face(const int f) const
    {
      Face result;
      for (int l = 0; l < width; ++l)
        {
          result.across[l] =
            read_face(mesh.faces + point_index(elements[l], f, tables.n_faces(), 1));
          const FaceRecord across = result.across[l];
          const bool       hangs  = Tables::may_hang && across.kind == FaceKind::hanging;
          result.neighbors[l]     = hangs ? elements[l] : across.element_across(elements[l]);
          result.at_boundary |= across.at_boundary();
          result.hangs |= hangs;
        }
      set_normal(result, f, 0);
      return result;
    }

    /// Go to point @p q of face @p f, where geometry differs between points.
    SALTUS_HOST_DEVICE
    void
    at_point(Face &face, const int f, const int q) const
    {
      if constexpr (!Geometry::is_constant)
        set_normal(face, f, q);
    }

    /// The points of a batch, from number @p first on. Beyond the last one it is repeated, with the
    /// weight 0.
    SALTUS_HOST_DEVICE
    void
    set_batch(const int first, int *points) const
    {
      const int last = tables.n_face_points() - 1;
      SALTUS_UNROLL
      for (int i = 0; i < batch; ++i)
        points[i] = first + i < last ? first + i : last;
    }

    /// What point @p q counts for in the integral over a face that is at it, over volume_factor(),
    /// as number @p number of the points of all batches: nothing beyond the last one.
    SALTUS_HOST_DEVICE
    T
    batch_weight(const Face &face, const int number, const int q) const
    {
      return number < tables.n_face_points() ? T(tables.face_weight(q)) * face.length
                                             : T(Number(0));
    }

    /// The value of mode @p m at point @p q of face @p f.
    SALTUS_HOST_DEVICE
    T
    face_value(const int f, const int q, const int m) const
    {
      return T(tables.face_value(f * tables.n_face_points() + q, m));
    }

    /// For every mode m and every i: `add(i, value, of_mode(m))` with the neighbours' value of the
    /// mode at point number i of a batch.
    template <typename OfMode, typename Add>
    SALTUS_HOST_DEVICE
    void
    for_modes_across(const Face   &face,
                     const int    *points,
                     const OfMode &of_mode,
                     const Add    &add) const
    {
      int points_across[batch][width];
      SALTUS_UNROLL
      for (int i = 0; i < batch; ++i)
        for (int l = 0; l < width; ++l)
          points_across[i][l] = tables.point_across(face.across[l], points[i]);
      SALTUS_UNROLL_ON_DEVICE(1)
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          const auto across = of_mode(m);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              T value;
              for (int l = 0; l < width; ++l)
                set_lane(value, l, tables.face_value(points_across[i][l], m));
              add(i, value, across);
            }
        }
    }

    /// Replace functions by the projection, on the reference cell, of their products with another
    /// one: \f$ y_m \leftarrow \sum_q w_q \phi_m(q) f(q) \sum_n \phi_n(q) y_n \f$.
    /// @param y `[m][c]`
    /// @param factor `(q)`, 1 where geometry is the same everywhere
    template <int n, typename Factor>
    SALTUS_HOST_DEVICE
    void
    multiply_at_points(Array<T, n> *y, const Factor &factor) const
    {
      if constexpr (!Geometry::is_constant)
        {
          Array<T, n> before[Tables::max_modes];
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int c = 0; c < n; ++c)
              {
                before[m][c] = y[m][c];
                y[m][c]      = T(Number(0));
              }
          for (int q = 0; q < tables.n_volume_points(); ++q)
            {
              const T weight = T(tables.volume_weight(q)) * factor(q);
              for (int c = 0; c < n; ++c)
                {
                  T value = T(Number(0));
                  for (int m = 0; m < tables.n_modes(); ++m)
                    value = value + T(tables.volume_value(q, m)) * before[m][c];
                  value = weight * value;
                  for (int m = 0; m < tables.n_modes(); ++m)
                    y[m][c] = y[m][c] + T(tables.volume_value(q, m)) * value;
                }
            }
        }
    }

    /// Times the inverse of the mass matrix, times volume_factor().
    template <int n>
    SALTUS_HOST_DEVICE
    void
    apply_inverse_mass(Array<T, n> *y) const
    {
      multiply_at_points(y, [&](const int q) { return geometry.inverse_mass(q); });
    }

    /// Times the mass matrix over volume_factor().
    template <int n>
    SALTUS_HOST_DEVICE
    void
    apply_mass(Array<T, n> *y) const
    {
      multiply_at_points(y, [&](const int q) { return geometry.relative_volume(q); });
    }

    /// Whether the lane @p l has an element of its own.
    SALTUS_HOST_DEVICE
    bool
    is_used(const int l) const
    {
      return l < n_left;
    }

    const Tables  &tables;
    int            elements[width];
    const Geometry geometry;

  private:
    /// @param n_left elements from @p first on
    SALTUS_HOST_DEVICE
    const int (&set_elements(const int first, const int n_left))[width]
    {
      for (int l = 0; l < width; ++l)
        elements[l] = first + (l < n_left ? l : n_left - 1);
      return elements;
    }

    SALTUS_HOST_DEVICE
    void
    set_normal(Face &face, const int f, const int q) const
    {
      face.length = geometry.set_normal(
        f, q, [&](const int r) { return tables.face_normal(f, r); }, face.normal);
    }

    const MeshArrays<Number> &mesh;
    const int                 n_left; ///< elements from the first on
  };
} // namespace Saltus

#endif
