// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/basis.h>
#include <saltus/fe/reference_element.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/fe/vertex_permutation.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[q][m]`
    template <int dim>
    std::vector<std::vector<double>>
    modes_at(const std::vector<Point<dim>> &points, const SimplexModalPolynomials<dim> &polynomials)
    {
      std::vector<std::vector<double>> values(points.size(), std::vector<double>(polynomials.n()));
      std::vector<Tensor<1, dim>>      no_gradients;
      std::vector<Tensor<2, dim>>      no_hessians;
      std::vector<Tensor<3, dim>>      no_third;
      std::vector<Tensor<4, dim>>      no_fourth;
      for (unsigned int q = 0; q < points.size(); ++q)
        polynomials.evaluate(points[q], values[q], no_gradients, no_hessians, no_third, no_fourth);
      return values;
    }
  } // namespace

  template <int dim>
  ModePermutations
  ModePermutations::make(const ReferenceCell &cell, const unsigned int degree)
  {
    if (cell.is_hyper_cube())
      {
        ModePermutations result;
        result.first_modes = {0, polynomials_of<dim>(cell, degree)->n()};
        return result;
      }
    const SimplexModalPolynomials<dim> polynomials(degree);
    const Quadrature<dim>              quadrature = simplex_quadrature<dim>(2 * degree);
    const auto in_element = modes_at<dim>(quadrature.get_points(), polynomials);

    ModePermutations result;
    result.first_modes.push_back(0);
    for (unsigned int k = 0; k <= degree; ++k)
      result.first_modes.push_back(SimplexModalPolynomials<dim>::n_polynomials(k));

    const unsigned int     n_modes     = polynomials.n();
    VertexPermutation<dim> permutation = identity_permutation<dim>();
    do // in lexicographic order, as code() counts
      {
        std::vector<Point<dim>> points;
        for (const Point<dim> &point : quadrature.get_points())
          points.push_back(Saltus::to_cell<dim>(permutation, point));
        const auto          in_cell = modes_at<dim>(points, polynomials);
        std::vector<double> matrix(n_modes * n_modes);
        for (unsigned int k = 0; k <= degree; ++k)
          for (unsigned int m = result.first_modes[k]; m < result.first_modes[k + 1]; ++m)
            for (unsigned int n = result.first_modes[k]; n < result.first_modes[k + 1]; ++n)
              for (unsigned int q = 0; q < points.size(); ++q)
                matrix[m * n_modes + n] += quadrature.weight(q) * in_cell[q][m] * in_element[q][n];
        result.matrices.push_back(matrix);
      }
    while (std::next_permutation(permutation.begin(), permutation.end()));
    return result;
  }

  template <int dim>
  unsigned char
  ModePermutations::code(const VertexPermutation<dim> &permutation)
  {
    unsigned int rank = 0;
    for (unsigned int v = 0; v <= dim; ++v)
      {
        unsigned int n_smaller = 0; // of the entries that follow
        for (unsigned int w = v + 1; w <= dim; ++w)
          n_smaller += permutation[w] < permutation[v];
        rank = rank * (dim + 1 - v) + n_smaller;
      }
    return rank;
  }

  void
  ModePermutations::multiply(const unsigned char code,
                             const unsigned int  n,
                             const double       *from,
                             double             *to,
                             const unsigned int  row,
                             const unsigned int  column) const
  {
    if (code == 0)
      {
        std::copy(from, from + n_modes() * n, to);
        return;
      }
    std::fill(to, to + n_modes() * n, 0.);
    for (unsigned int k = 0; k + 1 < first_modes.size(); ++k)
      for (unsigned int m = first_modes[k]; m < first_modes[k + 1]; ++m)
        for (unsigned int j = first_modes[k]; j < first_modes[k + 1]; ++j)
          {
            const double entry = matrices[code][m * row + j * column];
            for (unsigned int i = 0; i < n; ++i)
              to[m * n + i] += entry * from[j * n + i];
          }
  }

#define SALTUS_MODE_PERMUTATIONS(dim)                                          \
  template ModePermutations ModePermutations::make<dim>(const ReferenceCell &, \
                                                        const unsigned int);   \
  template unsigned char    ModePermutations::code<dim>(const VertexPermutation<dim> &);
  SALTUS_MODE_PERMUTATIONS(2)
  SALTUS_MODE_PERMUTATIONS(3)
#undef SALTUS_MODE_PERMUTATIONS
} // namespace Saltus
