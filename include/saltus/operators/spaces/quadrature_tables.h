// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_quadrature_tables_h
#define saltus_operators_spaces_quadrature_tables_h

#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/element_tables.h>

namespace Saltus
{
  /// What integrals by quadrature read of the reference element: ElementTables behind functions, so
  /// that a back end may keep them elsewhere. Points of faces are counted through: point `f n + q`.
  ///
  /// @tparam modes number of modes; 0: known at run time only, and at most max_modes
  template <int dim, typename Number, int modes = 0>
  class QuadratureTables
  {
  public:
    static constexpr int max_modes = modes > 0 ? modes : 120;

    static constexpr int  n_vertices = Simplex<dim>::n_vertices;
    static constexpr bool is_sparse  = false; ///< whether points see few of the modes only
    static constexpr bool may_hang   = false; ///< whether there may be hanging faces

    /// Repetitions that GPU code unrolls, of loops over faces and points, and over modes: as long
    /// as the coefficients have room in registers.
    static constexpr int unroll = 1, unroll_modes = modes > 0 && modes <= 28 ? modes : 1;

    SALTUS_HOST_DEVICE
    explicit QuadratureTables(const ElementTables<Number> &tables)
      : tables(tables)
    {}

    SALTUS_HOST_DEVICE
    int
    n_modes() const
    {
      return modes > 0 ? modes : tables.n_modes;
    }

    SALTUS_HOST_DEVICE
    int
    n_faces() const
    {
      return modes > 0 ? Simplex<dim>::n_faces : tables.n_faces;
    }

    SALTUS_HOST_DEVICE
    int
    n_volume_points() const
    {
      return tables.n_volume_points;
    }

    SALTUS_HOST_DEVICE
    int
    n_face_points() const
    {
      return tables.n_face_points;
    }

    SALTUS_HOST_DEVICE
    Number
    volume_value(const int q, const int m) const
    {
      return tables.volume_values[q * n_modes() + m];
    }

    SALTUS_HOST_DEVICE
    Number
    volume_gradient(const int q, const int r, const int m) const
    {
      return tables.volume_gradients[(q * dim + r) * n_modes() + m];
    }

    SALTUS_HOST_DEVICE
    Number
    volume_weight(const int q) const
    {
      return tables.volume_weights[q];
    }

    SALTUS_HOST_DEVICE
    Number
    face_value(const int point, const int m) const
    {
      return tables.face_values[point * n_modes() + m];
    }

    SALTUS_HOST_DEVICE
    Number
    face_gradient(const int point, const int r, const int m) const
    {
      return tables.face_gradients[(point * dim + r) * n_modes() + m];
    }

    /// `body(m, value)` with the values of all modes at volume point @p q that are not zero there.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_volume_values(const int q, const Body &body) const
    {
      for (int m = 0; m < n_modes(); ++m)
        body(m, volume_value(q, m));
    }

    /// The same of the derivatives in reference direction @p r.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_volume_derivatives(const int q, const int r, const Body &body) const
    {
      for (int m = 0; m < n_modes(); ++m)
        body(m, volume_gradient(q, r, m));
    }

    /// Of the values at a point of a face.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_face_values(const int point, const Body &body) const
    {
      for (int m = 0; m < n_modes(); ++m)
        body(m, face_value(point, m));
    }

    /// Of the derivatives in reference direction @p r there.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_face_derivatives(const int point, const int r, const Body &body) const
    {
      for (int m = 0; m < n_modes(); ++m)
        body(m, face_gradient(point, r, m));
    }

    SALTUS_HOST_DEVICE
    Number
    face_weight(const int q) const
    {
      return tables.face_weights[q];
    }

    SALTUS_HOST_DEVICE
    Number
    face_normal(const int face, const int r) const
    {
      return tables.face_normals[face * dim + r];
    }

    /// The number that the neighbour across a face gives the point @p q.
    SALTUS_HOST_DEVICE
    int
    point_across(const FaceRecord &across, const int q) const
    {
      return across.face * n_face_points() +
             tables.face_permutations[across.orientation * n_face_points() + q];
    }

  private:
    const ElementTables<Number> &tables;
  };
} // namespace Saltus

#endif
