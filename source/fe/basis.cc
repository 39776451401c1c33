// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/hypercube_collocation_polynomials.h>
#include <saltus/fe/simplex_modal_polynomials.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Points on a face at which its polynomials of degree @p degree are known by their values.
    template <int dim>
    std::vector<Point<dim>>
    points_on_face(const ReferenceCell &cell, const unsigned int face, const unsigned int degree)
    {
      const auto vertex = [&](const unsigned int j) {
        return cell.template vertex<dim>(cell.face_to_cell_vertices(face, j, 1));
      };
      const Quadrature<dim - 1> rule = gauss_rule<dim - 1>(cell.is_hyper_cube(), 2 * degree);
      std::vector<Point<dim>>   result;
      for (const Point<dim - 1> &on_face : rule.get_points())
        {
          Point<dim> point = vertex(0);
          for (unsigned int d = 0; d + 1 < dim; ++d)
            point += on_face[d] * (vertex(d + 1) - vertex(0));
          result.push_back(point);
        }
      return result;
    }
  } // namespace

  template <int dim>
  std::shared_ptr<const ScalarPolynomialsBase<dim>>
  polynomials_of(const ReferenceCell &cell, const unsigned int degree)
  {
    if (cell.is_hyper_cube())
      return std::make_shared<HypercubeCollocationPolynomials<dim>>(degree);
    return std::make_shared<SimplexModalPolynomials<dim>>(degree);
  }


  template <int dim>
  FullMatrix<double>
  values_at(const ScalarPolynomialsBase<dim> &polynomials, const std::vector<Point<dim>> &points)
  {
    FullMatrix<double>          result(points.size(), polynomials.n());
    std::vector<double>         values(polynomials.n());
    std::vector<Tensor<1, dim>> no_1st;
    std::vector<Tensor<2, dim>> no_2nd;
    std::vector<Tensor<3, dim>> no_3rd;
    std::vector<Tensor<4, dim>> no_4th;
    for (unsigned int q = 0; q < points.size(); ++q)
      {
        polynomials.evaluate(points[q], values, no_1st, no_2nd, no_3rd, no_4th);
        std::copy(values.begin(), values.end(), result.begin(q));
      }
    return result;
  }

  template <int dim>
  Basis<dim>::Basis(const ReferenceCell &cell, const unsigned int degree)
    : Basis(cell, polynomials_of<dim>(cell, degree))
  {}

  template <int dim>
  Basis<dim>::Basis(const ReferenceCell                                     &cell,
                    const std::shared_ptr<const ScalarPolynomialsBase<dim>> &polynomials)
    : cell(cell)
    , modes(polynomials)
    , weights(n_modes())
  {
    const Quadrature<dim> quadrature = gauss_rule<dim>(cell.is_hyper_cube(), modes->degree());
    const auto            values     = values_at<dim>(*modes, quadrature.get_points());
    for (unsigned int q = 0; q < quadrature.size(); ++q)
      for (unsigned int m = 0; m < n_modes(); ++m)
        weights[m] += quadrature.weight(q) / cell.volume() * values(q, m);
    while (std::abs(weights.back()) * std::sqrt(cell.volume()) < 1e-12)
      weights.pop_back();
  }

  template <int dim>
  std::vector<double>
  Basis<dim>::constant(const double value) const
  {
    std::vector<double> result(n_modes());
    std::transform(weights.begin(), weights.end(), result.begin(), [&](const double weight) {
      return value * cell.volume() * weight;
    });
    return result;
  }

  template <int dim>
  std::vector<double>
  Basis<dim>::embedding(const Basis &lower) const
  {
    const Quadrature<dim> quadrature =
      gauss_rule<dim>(cell.is_hyper_cube(), modes->degree() + lower.modes->degree());
    const auto          values       = values_at<dim>(*modes, quadrature.get_points());
    const auto          lower_values = values_at<dim>(*lower.modes, quadrature.get_points());
    const unsigned int  n            = lower.n_modes();
    std::vector<double> matrix(n_modes() * n);
    bool                is_prefix = true;
    for (unsigned int m = 0; m < n_modes(); ++m)
      for (unsigned int k = 0; k < n; ++k)
        {
          double &entry = matrix[m * n + k];
          for (unsigned int q = 0; q < quadrature.size(); ++q)
            entry += quadrature.weight(q) * values(q, m) * lower_values(q, k);
          is_prefix = is_prefix && std::abs(entry - (m == k ? 1. : 0.)) < 1e-10;
        }
    if (is_prefix)
      return {};
    return matrix;
  }

  template <int dim>
  std::vector<std::vector<double>>
  Basis<dim>::traces(const unsigned int face, const bool with_gradients) const
  {
    const std::vector<Point<dim>> points   = points_on_face<dim>(cell, face, modes->degree());
    const unsigned int            n_points = points.size();
    const unsigned int            n_rows   = n_points * (with_gradients ? 1 + dim : 1);
    LAPACKFullMatrix<double>      matrix(n_rows, n_modes());
    std::vector<double>           values(n_modes());
    std::vector<Tensor<1, dim>>   gradients(with_gradients ? n_modes() : 0);
    std::vector<Tensor<2, dim>>   no_2nd;
    std::vector<Tensor<3, dim>>   no_3rd;
    std::vector<Tensor<4, dim>>   no_4th;
    for (unsigned int q = 0; q < n_points; ++q)
      {
        modes->evaluate(points[q], values, gradients, no_2nd, no_3rd, no_4th);
        for (unsigned int m = 0; m < values.size(); ++m)
          matrix(q, m) = values[m];
        for (unsigned int m = 0; m < gradients.size(); ++m)
          for (unsigned int r = 0; r < dim; ++r)
            matrix((1 + r) * n_points + q, m) = gradients[m][r];
      }
    matrix.compute_svd();
    std::vector<std::vector<double>> result;
    for (unsigned int k = 0; k < std::min(n_rows, n_modes()); ++k)
      if (matrix.singular_value(k) > 1e-10 * matrix.singular_value(0))
        {
          result.emplace_back();
          for (unsigned int m = 0; m < n_modes(); ++m)
            result.back().push_back(matrix.get_svd_vt()(k, m));
        }
    return result;
  }

#define SALTUS_BASIS(dim)                                                                          \
  template std::shared_ptr<const ScalarPolynomialsBase<dim>> polynomials_of(const ReferenceCell &, \
                                                                            const unsigned int);   \
  template class Basis<dim>;                                                                       \
  template FullMatrix<double> values_at(const ScalarPolynomialsBase<dim> &,                        \
                                        const std::vector<Point<dim>> &);
  template FullMatrix<double>
  values_at(const ScalarPolynomialsBase<1> &, const std::vector<Point<1>> &);
  SALTUS_BASIS(2)
  SALTUS_BASIS(3)
#undef SALTUS_BASIS
} // namespace Saltus
