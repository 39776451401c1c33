// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_collapsed_gauss_h
#define saltus_fe_collapsed_gauss_h

#include <deal.II/base/quadrature_lib.h>

#include <vector>

namespace Saltus
{
  /// Gauss quadrature of the unit cube collapsed onto the unit simplex, exact for polynomials of
  /// degree @p degree. deal.II's own simplex quadratures end at a fixed degree.
  template <int dim>
  dealii::Quadrature<dim>
  collapsed_gauss(const unsigned int degree)
  {
    const dealii::QGauss<dim> cube((degree + dim - 1) / 2 + 1); // the collapse adds dim-1 degrees
    std::vector<dealii::Point<dim>> points;
    std::vector<double>             weights;
    for (unsigned int q = 0; q < cube.size(); ++q)
      {
        dealii::Point<dim> point;
        double             scale = 1., weight = cube.weight(q);
        for (unsigned int d = 0; d < dim; ++d)
          {
            point[d] = scale * cube.point(q)[d];
            weight *= scale;
            scale *= 1. - cube.point(q)[d];
          }
        points.push_back(point);
        weights.push_back(weight);
      }
    return {points, weights};
  }

  /// Gauss quadrature of the unit cube or simplex, exact for polynomials of degree @p degree, on
  /// the cube in each direction.
  template <int dim>
  dealii::Quadrature<dim>
  gauss_rule(const bool on_cube, const unsigned int degree)
  {
    return on_cube ? dealii::QGauss<dim>(degree / 2 + 1) : collapsed_gauss<dim>(degree);
  }
} // namespace Saltus

#endif
