// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_stored_geometry_h
#define saltus_mesh_stored_geometry_h

#include <saltus/mesh/affine_geometry.h>

#include <type_traits>

namespace Saltus
{
  /// What integrals need of the geometry of elements at the points of a quadrature. The first block
  /// is number `first_block` of the mesh.
  template <typename Number>
  struct StoredArrays
  {
    int           first_block     = 0;
    int           n_volume_points = 0, n_face_points = 0, n_faces = 0;
    const Number *metrics = nullptr; ///< `[block][q][r][d][l]`, see AffineGeometry::metric()
    /// `[block][f][q][d][l]`: unit normals times what the area of the face is multiplied with
    /// there, over \f$ |\det J| \f$
    const Number *normals = nullptr;
  };

  /// AffineGeometry's view of elements whose geometry is stored at points, of one a lane of @p T.
  template <int dim, typename T, typename Number>
  class StoredGeometry
  {
  public:
    using Direction = Array<T, dim>;

    static constexpr bool is_constant = false;

    /// @param first the element of the first lane; lanes are neighbours in one block
    /// @param mean the affine map with the same volume
    SALTUS_HOST_DEVICE
    StoredGeometry(const StoredArrays<Number>   &arrays,
                   const int                     first,
                   const AffineGeometry<dim, T> &mean)
      : arrays(arrays)
      , block(first / block_size - arrays.first_block)
      , lane(first % block_size)
      , mean(mean)
    {}

    /// See AffineGeometry.
    SALTUS_HOST_DEVICE
    Direction
    metric(const int q, const int r) const
    {
      return read(arrays.metrics,
                  (static_cast<std::size_t>(block) * arrays.n_volume_points + q) * dim + r);
    }

    SALTUS_HOST_DEVICE
    T
    volume_factor() const
    {
      return mean.volume_factor();
    }

    template <typename Reference>
    SALTUS_HOST_DEVICE
    T
    set_normal(const int f, const int q, const Reference &, Direction &normal) const
    {
      normal =
        read(arrays.normals,
             (static_cast<std::size_t>(block) * arrays.n_faces + f) * arrays.n_face_points + q);
      const T square = dot<dim>(normal, normal), inverse = rsqrt(square);
      for (int d = 0; d < dim; ++d)
        normal[d] = normal[d] * inverse;
      return square * inverse;
    }

  private:
    /// Direction number @p i of an array.
    SALTUS_HOST_DEVICE
    Direction
    read(const Number *from, const std::size_t i) const
    {
      Direction result;
      for (int d = 0; d < dim; ++d)
        load(result[d], from + (i * dim + d) * block_size + lane);
      return result;
    }

    const StoredArrays<Number>  &arrays;
    const int                    block, lane;
    const AffineGeometry<dim, T> mean;
  };

  /// The view of elements of one kind.
  template <GeometryKind kind, int dim, typename T, typename Number>
  using GeometryView = std::conditional_t<kind == GeometryKind::affine,
                                          AffineGeometry<dim, T>,
                                          StoredGeometry<dim, T, Number>>;

  template <GeometryKind kind, int dim, typename T, typename Number>
  SALTUS_HOST_DEVICE
  GeometryView<kind, dim, T, Number>
  geometry_view(const StoredArrays<Number>   &arrays,
                const int                     first,
                const AffineGeometry<dim, T> &mean)
  {
    if constexpr (kind == GeometryKind::affine)
      return mean;
    else
      return StoredGeometry<dim, T, Number>(arrays, first, mean);
  }
} // namespace Saltus

#endif
