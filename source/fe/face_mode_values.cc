// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/face_mode_values.h>
#include <saltus/fe/face_points.h>
#include <saltus/fe/modal_integrals.h>
#include <saltus/fe/reference_element.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The barycentric coordinates of a point on the face opposite vertex @p opposite, by corners
    /// in ascending order.
    template <int dim>
    std::vector<double>
    barycentric_on_face(const Point<dim> &point, const unsigned int opposite)
    {
      std::vector<double> result;
      for (unsigned int v = 0; v <= dim; ++v)
        if (v != opposite)
          {
            double coordinate = v == 0 ? 1. : point[v - 1];
            for (unsigned int d = 0; v == 0 && d < dim; ++d)
              coordinate -= point[d];
            result.push_back(coordinate);
          }
      return result;
    }

    /// See modal_integrals.h.
    template <int dim>
    double
    mode_value(const ModeIndices<dim> &mode, const std::vector<double> &barycentric)
    {
      double value = 1., before = barycentric[0];
      for (int d = 0; d < dim; ++d)
        {
          const double next = barycentric[d + 1];
          value *= modal_factor(d, mode.sum(d), mode.n[d], (next - before) / (next + before)).value;
          before += next;
        }
      return value;
    }
  } // namespace

  template <int dim>
  std::vector<double>
  face_mode_values(const int degree, const int rule_degree)
  {
    const CellShape<dim>    shape;
    const FacePoints<dim>   points(shape, simplex_quadrature<dim - 1>(rule_degree));
    const ModeList<dim - 1> modes(degree);
    const unsigned int      n_modes = Simplex<dim - 1>::n_modes(degree);
    std::vector<double>     result(shape.n_faces * points.n_points * n_modes);
    for (unsigned int f = 0; f < shape.n_faces; ++f)
      {
        const unsigned int opposite = shape.opposite_vertex(f);
        for (unsigned int q = 0; q < points.n_points; ++q)
          {
            const auto at = barycentric_on_face(points.point(f, 0, q), opposite);
            for (unsigned int m = 0; m < n_modes; ++m)
              result[(opposite * points.n_points + q) * n_modes + m] =
                mode_value(modes.modes[m], at);
          }
      }
    return result;
  }

  template std::vector<double>
  face_mode_values<2>(const int, const int);
  template std::vector<double>
  face_mode_values<3>(const int, const int);
} // namespace Saltus
