// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/reference_element.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/fe/sparse_modal_tables.h>

#include <cmath>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// All modes at points, `[q][m]`.
    template <int dim>
    struct ModesAtPoints
    {
      ModesAtPoints(const int degree, const std::vector<Point<dim>> &points)
      {
        const SimplexModalPolynomials<dim> modes(degree);
        std::vector<Tensor<2, dim>>        no_hessians;
        std::vector<Tensor<3, dim>>        no_third;
        std::vector<Tensor<4, dim>>        no_fourth;
        for (const Point<dim> &x : points)
          {
            values.emplace_back(modes.n());
            gradients.emplace_back(modes.n());
            modes.evaluate(x, values.back(), gradients.back(), no_hessians, no_third, no_fourth);
          }
      }

      std::vector<std::vector<double>>         values;
      std::vector<std::vector<Tensor<1, dim>>> gradients;
    };

    /// Matrices of maps from functions to functions, by projection.
    template <int dim>
    class Projection
    {
    public:
      explicit Projection(const int degree)
        : degree(degree)
        , quadrature(simplex_quadrature<dim>(2 * degree))
        , modes(degree, quadrature.get_points())
      {}

      /// \f$ \int \varphi_\text{row}\, f \f$
      /// @param f by the number of the quadrature point
      template <typename Function>
      double
      entry(const unsigned int row, const Function &f) const
      {
        double sum = 0;
        for (unsigned int q = 0; q < quadrature.size(); ++q)
          sum += quadrature.weight(q) * modes.values[q][row] * f(q);
        return sum;
      }

      /// The entries of @p Matrix for the derivative along a vector that depends on the point.
      template <typename Matrix, typename Along>
      void
      append(std::vector<double> &table, const Along &along) const
      {
        for (int row = 0; row < Matrix::n_rows(degree); ++row)
          for (int column = 0; column < Simplex<dim>::n_modes(degree); ++column)
            if (Matrix::couples(mode_indices<dim>(row), mode_indices<dim>(column)))
              table.push_back(entry(row, [&](const unsigned int q) {
                return modes.gradients[q][column] * along(quadrature.point(q));
              }));
      }

      /// From the mean of the vertices 0, ..., @p direction to the next one.
      template <int direction>
      void
      append_derivative(std::vector<double> &table) const
      {
        Tensor<1, dim> along;
        along[direction] = 1.;
        for (int d = 0; d < direction; ++d)
          along[d] = -1. / (direction + 1);
        append<DerivativeMatrix<dim, direction>>(table, [&](const Point<dim> &) { return along; });
      }

      void
      append_radial(std::vector<double> &table) const
      {
        Point<dim> center;
        center[dim - 1] = dim == 1 ? 0.5 : 1.;
        append<RadialMatrix<dim>>(table, [&](const Point<dim> &x) { return x - center; });
      }

      /// The blocks of a swap of two vertices, see SparseModalLayout::swap_block().
      void
      append_swaps(std::vector<double> &table, const int level) const
      {
        std::vector<Point<dim>> points = quadrature.get_points();
        for (Point<dim> &x : points)
          std::swap(x[level], x[level + 1]);
        const ModesAtPoints<dim> swapped(degree, points);
        for (int m = 0; m <= (level == 0 ? 0 : degree); ++m)
          for (int n = 0; n <= degree - m; ++n)
            {
              const auto mode = [&](const int i) {
                ModeIndices<dim> result;
                result.n[0]         = m;
                result.n[level]     = i;
                result.n[level + 1] = n - i;
                return mode_number(result);
              };
              for (int row = 0; row <= n; ++row)
                for (int column = 0; column <= n; ++column)
                  table.push_back(entry(mode(row), [&](const unsigned int q) {
                    return swapped.values[q][mode(column)];
                  }));
            }
      }

      const int                degree;
      const Quadrature<dim>    quadrature;
      const ModesAtPoints<dim> modes;
    };

    /// What the base sees of the modes: their values, and the derivatives towards the apex.
    template <int dim>
    void
    append_traces(std::vector<double> &table, const int degree)
    {
      const Projection<dim - 1> face(degree);
      std::vector<Point<dim>>   points;
      for (const Point<dim - 1> &on_face : face.quadrature.get_points())
        {
          points.emplace_back();
          for (int d = 0; d < dim - 1; ++d)
            points.back()[d] = on_face[d];
        }
      const ModesAtPoints<dim> modes(degree, points);
      Point<dim>               apex;
      apex[dim - 1]     = 1.;
      const double norm = std::sqrt(dim == 3 ? 2. : 1.); // of face modes with mean square 1
      for (const bool towards_apex : {false, true})
        for (int m = 0; m <= degree; ++m)
          for (int k = 0; k <= degree - m; ++k)
            {
              ModeIndices<dim>     mode;
              ModeIndices<dim - 1> face_mode;
              mode.n[dim - 2] = face_mode.n[dim - 2] = m;
              mode.n[dim - 1]                        = k;
              const int number                       = mode_number(mode);
              table.push_back(norm * face.entry(mode_number(face_mode), [&](const unsigned int q) {
                return towards_apex ? modes.gradients[q][number] * (apex - points[q])
                                    : modes.values[q][number];
              }));
            }
    }
  } // namespace

  template <int dim>
  std::vector<double>
  sparse_modal_tables(const int degree)
  {
    const Projection<dim>     element(degree);
    const Projection<dim - 1> face(degree);
    std::vector<double>       table;
    element.template append_derivative<0>(table);
    element.template append_derivative<1>(table);
    if constexpr (dim == 3)
      element.template append_derivative<2>(table);
    for (int level = 0; level < dim - 1; ++level)
      element.append_swaps(table, level);
    append_traces<dim>(table, degree);
    face.append_radial(table);
    face.template append_derivative<0>(table);
    if constexpr (dim == 3)
      face.template append_derivative<1>(table);
    return table;
  }

  template std::vector<double>
  sparse_modal_tables<2>(const int);
  template std::vector<double>
  sparse_modal_tables<3>(const int);
} // namespace Saltus
