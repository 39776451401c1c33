// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_stored_geometry_h
#define saltus_mesh_stored_geometry_h

#include <saltus/mesh/affine_geometry.h>
#include <saltus/mesh/face_frame.h>

#include <type_traits>

namespace Saltus
{
  /// What integrals need of the geometry of elements at the points of a quadrature, see
  /// ElementMetrics. The blocks are those of the mesh from number `first_block` on. The mean of \f$
  /// |\det J| \f$ in an element is that of the affine map with the same volume, which MeshArrays
  /// has.
  template <typename Number>
  struct StoredArrays
  {
    int first_block = 0, n_blocks = 0;
    int n_volume_points = 0, n_face_points = 0, n_faces = 0;
    int n_metric_modes = 0; ///< in 2D those that are not 0, see `metric_modes`
    /// `[block][q][l]`: \f$ |\det J| \f$ over its mean
    const Number *factors = nullptr;
    /// `[block][q][r][d][l]`: gradients of the reference coordinates times these factors, see
    /// AffineGeometry::metric()
    const Number *metrics = nullptr;
    /// `[block][f][q][d][l]`: unit normals times what the area of the face is multiplied with
    /// there, over the mean of \f$ |\det J| \f$
    const Number *normals = nullptr;

    /// `[block][q][l]`: see AffineGeometry::inverse_mass()
    const Number *inverse_masses = nullptr;

    /// On GPUs in 2D, where kernels compute the metrics at a point rather than read them, if these
    /// are polynomials of the space: else nullptr. `[block][m][l][r][d]`: their modes
    const Number *metric_modes = nullptr;

    /// On GPUs what stages of conservation laws read on tetrahedra, see TetrahedronGroup, or, for
    /// second-order fluxes on simplices in double precision, SecondOrderGroup; else nullptr
    const Number *groups = nullptr;
    /// Whether modes in `groups` are those of ElementMetrics::tangent_modes(), else they are of
    /// metrics.
    bool modes_are_of_tangents = false;
    /// On GPUs for second-order fluxes of degree 1 and 2 on triangles, and of degree 1 on
    /// tetrahedra if derivatives of maps are linear on faces: see face_metrics_across.
    bool has_face_frames = false;

    /// For gradients on faces, else nullptr. `[block][f][q][r][d][l]`: gradients of the reference
    /// coordinates
    const Number *face_metrics = nullptr;
    /// For second-order fluxes, else nullptr: the same of the elements across, of any kind, at the
    /// same points in space; at the boundary the elements' own. Behind them, if has_face_frames,
    /// are the numbers of FaceFrame, `[block][f][q][i][d][l]`, at its points.
    const Number *face_metrics_across = nullptr;

    /// Whether the geometry of an element is here.
    SALTUS_HOST_DEVICE
    bool
    holds(const int element) const
    {
      const int block = element / block_size - first_block;
      return block >= 0 && block < n_blocks;
    }
  };

  /// AffineGeometry's view of elements whose geometry is stored at points, of one a lane of @p T.
  ///
  /// Integrals are taken over the mean of \f$ |\det J| \f$. Where that varies in an element,
  /// results "times the inverse mass" need inverse_mass() besides: see
  /// StoredMetrics::for_curved_elements.
  template <int dim, typename T, typename Number>
  class StoredGeometry
  {
  public:
    using Direction = Array<T, dim>;
    using Affine    = AffineGeometry<dim, T>;

    static constexpr bool is_constant = false;

    /// The view of the elements across the faces, at the points of these elements.
    class Across
    {
    public:
      SALTUS_HOST_DEVICE
      explicit Across(const StoredGeometry &of)
        : of(of)
      {}

      SALTUS_HOST_DEVICE
      Affine
      at_face_point(const int f, const int q) const
      {
        return of.tangent(of.arrays.face_metrics_across, of.face_point(f, q));
      }

    private:
      const StoredGeometry &of;
    };

    /// @param first the element of the first lane; lanes are neighbours in one block
    /// @param mean the affine map with the same volume
    SALTUS_HOST_DEVICE
    StoredGeometry(const StoredArrays<Number> &arrays, const int first, const Affine &mean)
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
      return read(arrays.metrics, volume_point(q) * dim + r);
    }

    SALTUS_HOST_DEVICE
    Affine
    at_volume_point(const int q) const
    {
      return tangent(arrays.metrics, volume_point(q));
    }

    SALTUS_HOST_DEVICE
    Affine
    at_face_point(const int f, const int q) const
    {
      return tangent(arrays.face_metrics, face_point(f, q));
    }

    /// The mean of \f$ |\det J| \f$
    SALTUS_HOST_DEVICE
    T
    volume_factor() const
    {
      return mean.volume_factor();
    }

    SALTUS_HOST_DEVICE
    T
    relative_volume(const int q) const
    {
      T result;
      load(result, arrays.factors + volume_point(q) * block_size + lane);
      return result;
    }

    SALTUS_HOST_DEVICE
    T
    inverse_mass(const int q) const
    {
      T result;
      load(result, arrays.inverse_masses + volume_point(q) * block_size + lane);
      return result;
    }

    template <typename Reference>
    SALTUS_HOST_DEVICE
    T
    set_normal(const int f, const int q, const Reference &, Direction &normal) const
    {
      normal = read(arrays.normals, face_point(f, q));
      return make_unit(normal);
    }

    template <typename Reference>
    SALTUS_HOST_DEVICE
    Direction
    area_normal(const int f, const int q, const Reference &) const
    {
      return read(arrays.normals, face_point(f, q));
    }

    /// See StoredArrays::has_face_frames.
    SALTUS_HOST_DEVICE
    static const Number *
    face_frames(const StoredArrays<Number> &arrays)
    {
      return arrays.face_metrics_across + static_cast<std::size_t>(arrays.n_blocks) *
                                            arrays.n_faces * arrays.n_face_points * dim * dim *
                                            block_size;
    }

    /// At point @p q of face @p f.
    /// @param coordinate `(i)`: the point is the face's first one and these multiples of the
    /// directions along it; in 3D alone
    /// @param area,sense see FaceFrame, but for the mean of \f$ |\det J| \f$
    template <typename Coordinate>
    SALTUS_HOST_DEVICE
    FaceFrame<dim, T>
    face_frame(const int         f,
               const int         q,
               const Coordinate &coordinate,
               const T          &area,
               const T          &sense = T(Number(1))) const
    {
      using Frame                 = FaceFrame<dim, T>;
      constexpr int     n         = Frame::n_derivatives;
      const int         n_in_face = Frame::n_points(arrays.n_face_points);
      const std::size_t first = (static_cast<std::size_t>(block) * arrays.n_faces + f) * n_in_face;
      Array<Direction, n> derivatives;
      SALTUS_UNROLL
      for (int i = 0; i < n; ++i)
        if constexpr (dim == 2)
          derivatives[i] = read(face_frames(arrays), (first + q) * n + i);
        else
          {
            SALTUS_UNROLL
            for (int k = 0; k < dim; ++k)
              {
                const Direction at = read(face_frames(arrays), (first + k) * n + i);
                SALTUS_UNROLL
                for (int d = 0; d < dim; ++d)
                  derivatives[i][d] =
                    k == 0 ? at[d] : derivatives[i][d] + coordinate(k - 1) * at[d];
              }
          }
      return Frame(derivatives, area * mean.inverse_volume_factor(), sense);
    }

  private:
    // Numbers of points in arrays.
    SALTUS_HOST_DEVICE
    std::size_t
    volume_point(const int q) const
    {
      return static_cast<std::size_t>(block) * arrays.n_volume_points + q;
    }

    SALTUS_HOST_DEVICE
    std::size_t
    face_point(const int f, const int q) const
    {
      return (static_cast<std::size_t>(block) * arrays.n_faces + f) * arrays.n_face_points + q;
    }

    /// The metrics at point number @p point of an array.
    SALTUS_HOST_DEVICE
    Affine
    tangent(const Number *from, const std::size_t point) const
    {
      return Affine([&](const int i) {
        T entry;
        load(entry, from + (point * dim * dim + i) * block_size + lane);
        return entry;
      });
    }

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

    const StoredArrays<Number> &arrays;
    const int                   block, lane;
    const Affine                mean;
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
