// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hypercube_tables_h
#define saltus_operators_spaces_hypercube_tables_h

#include <saltus/operators/spaces/line_tables.h>
#include <saltus/operators/spaces/quadrature_tables.h>

namespace Saltus
{
  /// QuadratureTables of quadrilaterals or hexahedra with the points of their basis: at a point few
  /// modes are not zero.
  /// @tparam degree theirs
  /// @tparam or_less or any degree up to that one, known at run time only
  template <int dim, typename Number, int degree, bool or_less = false>
  class HypercubeTables : public QuadratureTables<dim, Number>
  {
    using Base = QuadratureTables<dim, Number>;

  public:
    static constexpr int  max_modes  = power(degree + 1, dim);
    static constexpr int  n_vertices = 1 << dim;
    static constexpr bool is_sparse  = true;
    static constexpr bool may_hang   = true;

    static constexpr int max_face_points = max_modes / (degree + 1);

    SALTUS_HOST_DEVICE
    explicit HypercubeTables(const ElementTables<Number> &tables)
      : Base(tables)
      , n_on_line(points_of_line(tables.n_modes))
    {}

    // As in the base.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_volume_values(const int q, const Body &body) const
    {
      body(q, this->volume_value(q, q));
    }

    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_volume_derivatives(const int q, const int r, const Body &body) const
    {
      const int stride = Cell::stride(r, n()), first = q - q / stride % n() * stride;
      for (int k = 0; k < n(); ++k)
        body(first + k * stride, this->volume_gradient(q, r, first + k * stride));
    }

    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_face_values(const int point, const Body &body) const
    {
      for_line(point, [&](const int m) { body(m, this->face_value(point, m)); });
    }

    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_face_derivatives(const int point, const int r, const Body &body) const
    {
      const auto add = [&](const int m) { body(m, this->face_gradient(point, r, m)); };
      const int  d = direction(point), stride = Cell::stride(r, n());
      if (r == d)
        for_line(point, add);
      else
        for_line(point, [&](const int m) {
          const int first = m - m / stride % n() * stride;
          for (int k = 0; k < n(); ++k)
            add(first + k * stride);
        });
    }

  private:
    using Cell = Hypercube<dim>;

    static SALTUS_HOST_DEVICE
    int
    points_of_line(const int n_modes)
    {
      int result = degree + 1;
      while (or_less && power_of(result) > n_modes)
        --result;
      return result;
    }

    static SALTUS_HOST_DEVICE
    int
    power_of(const int points)
    {
      return dim == 2 ? points * points : points * points * points;
    }

    /// Points of the basis in each direction.
    SALTUS_HOST_DEVICE
    int
    n() const
    {
      return or_less ? n_on_line : degree + 1;
    }

    /// That of the normal of the face that has @p point.
    SALTUS_HOST_DEVICE
    int
    direction(const int point) const
    {
      return point / this->n_face_points() / 2;
    }

    /// `body(m)` for the modes of the line behind a point of a face.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_line(const int point, const Body &body) const
    {
      const int d = direction(point), stride = Cell::stride(d, n());
      const int first = Cell::line(d, point % this->n_face_points(), n());
      for (int k = 0; k < n(); ++k)
        body(first + k * stride);
    }

    const int n_on_line;
  };
} // namespace Saltus

#endif
