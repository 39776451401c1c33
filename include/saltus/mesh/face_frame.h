// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_face_frame_h
#define saltus_mesh_face_frame_h

#include <saltus/mesh/affine_geometry.h>

namespace Saltus
{
  /// \f$ a \times b \f$
  template <typename T>
  SALTUS_HOST_DEVICE
  Array<T, 3>
  cross_product(const Array<T, 3> &a, const Array<T, 3> &b)
  {
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
  }

  /// The geometry of both sides of a face of simplices at one of its points, where what one needs
  /// of it is read as few numbers: the derivatives of the map along the face, which are the same
  /// for both sides, and in one direction across it of either side. These directions are on the
  /// reference cell those from point 0 of the face's rule to points 1 to dim - 1, and that of the
  /// outward normal, as long as the area of the face.
  template <int dim, typename T>
  struct FaceFrame
  {
    using Direction = Array<T, dim>;

    /// These derivatives: along the face, then inside and outside.
    static constexpr int n_derivatives = dim + 1;

    /// Points for which they are stored. In 3D, where they are linear on faces, those of the first
    /// one and their derivatives along the face.
    static constexpr int
    n_points(const int n_face_points)
    {
      return dim == 2 ? n_face_points : dim;
    }

    /// @param derivatives `[i][d]`
    /// @param area of the reference face over that of the directions along it, over the mean of
    /// \f$ |\det J| \f$
    /// @param sense -1 if the first direction outside is the opposite one, as in 2D of two
    /// elements that number a face's points in opposite order
    SALTUS_HOST_DEVICE
    FaceFrame(const Array<Direction, n_derivatives> &derivatives,
              const T                               &area,
              const T                               &sense = T(1))
    {
      const Direction across = product_of_tangents(derivatives);
      const T         height = dot<dim>(across, derivatives[dim - 1]), height_outside =
                                                                 dot<dim>(across, derivatives[dim]);
      inside  = inverse(derivatives, across, T(1) / height, T(1), derivatives[dim - 1]);
      outside = inverse(derivatives, across, T(1) / height_outside, sense, derivatives[dim]);
      const T outward = select(height < T(0), -area, area);
      across_inside   = outward * height;
      across_outside  = outward * height_outside;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        normal[d] = outward * across[d];
    }

    Direction normal; ///< see AffineGeometry::area_normal()
    /// This normal over the gradient of the last coordinate, which has the same direction.
    T                      across_inside, across_outside;
    AffineGeometry<dim, T> inside, outside; ///< gradients of the coordinates in these directions

  private:
    SALTUS_HOST_DEVICE
    static Direction
    product_of_tangents(const Array<Direction, n_derivatives> &derivatives)
    {
      if constexpr (dim == 2)
        return {{-derivatives[0][1], derivatives[0][0]}};
      else
        return cross_product(derivatives[0], derivatives[1]);
    }

    /// Of the matrix with the tangents and @p derivative across the face as columns.
    SALTUS_HOST_DEVICE
    static AffineGeometry<dim, T>
    inverse(const Array<Direction, n_derivatives> &tangents,
            const Direction                       &across,
            const T                               &factor,
            const T                               &sense,
            const Direction                       &derivative)
    {
      Array<Direction, dim> rows;
      if constexpr (dim == 2)
        rows[0] = {{sense * derivative[1], -sense * derivative[0]}};
      else
        {
          rows[0] = cross_product(tangents[1], derivative);
          rows[1] = cross_product(derivative, tangents[0]);
        }
      rows[dim - 1] = across;
      return AffineGeometry<dim, T>([&](const int i) { return factor * rows[i / dim][i % dim]; });
    }
  };
} // namespace Saltus

#endif
