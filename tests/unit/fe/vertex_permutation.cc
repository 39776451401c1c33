// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Polynomials whose coefficients belong to another order of the vertices.
#include <deal.II/grid/reference_cell.h>

#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/fe/vertex_permutation.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace dealii;
using namespace Saltus;

namespace
{
  template <int dim>
  void
  check_points()
  {
    const ReferenceCell    cell        = ReferenceCells::get_simplex<dim>();
    VertexPermutation<dim> permutation = identity_permutation<dim>();
    unsigned int           n           = 0;
    int                    signs       = 0;
    do
      {
        EXPECT_EQ(ModePermutations::code<dim>(permutation), n++);
        signs += permutation_sign<dim>(permutation);
        Tensor<2, dim> jacobian;
        for (unsigned int v = 0; v <= dim; ++v)
          {
            const Point<dim> image = to_cell<dim>(permutation, cell.vertex<dim>(v));
            EXPECT_EQ(image.distance(cell.vertex<dim>(permutation[v])), 0.);
            for (unsigned int d = 0; v > 0 && d < dim; ++d)
              jacobian[d][v - 1] = image[d] - to_cell<dim>(permutation, cell.vertex<dim>(0))[d];
          }
        EXPECT_EQ(determinant(jacobian), permutation_sign<dim>(permutation));
      }
    while (std::next_permutation(permutation.begin(), permutation.end()));
    EXPECT_EQ(signs, 0);
  }

  /// Two components of every degree: both sets of coefficients give the same values.
  template <int dim>
  void
  check_modes(const unsigned int degree)
  {
    const SimplexModalPolynomials<dim> polynomials(degree);
    const ModePermutations             modes =
      ModePermutations::make<dim>(ReferenceCells::get_simplex<dim>(), degree);
    const unsigned int                     n = polynomials.n();
    std::mt19937                           generator(7);
    std::uniform_real_distribution<double> random(0., 1. / dim);
    VertexPermutation<dim>                 permutation = identity_permutation<dim>();
    do
      {
        const auto          code = ModePermutations::code<dim>(permutation);
        std::vector<double> in_element(2 * n), in_cell(2 * n), back(2 * n);
        for (double &value : in_element)
          value = random(generator);
        modes.to_cell(code, 2, in_element.data(), in_cell.data());
        modes.to_element(code, 2, in_cell.data(), back.data());
        for (unsigned int i = 0; i < 2 * n; ++i)
          EXPECT_NEAR(back[i], in_element[i], 1e-13);
        Point<dim> point;
        for (unsigned int d = 0; d < dim; ++d)
          point[d] = random(generator);
        for (unsigned int c = 0; c < 2; ++c)
          {
            double here = 0, there = 0;
            for (unsigned int m = 0; m < n; ++m)
              {
                here += in_element[2 * m + c] * polynomials.compute_value(m, point);
                there += in_cell[2 * m + c] *
                         polynomials.compute_value(m, to_cell<dim>(permutation, point));
              }
            EXPECT_NEAR(here, there, 1e-11);
          }
      }
    while (std::next_permutation(permutation.begin(), permutation.end()));
  }
} // namespace

TEST(VertexPermutation, Points)
{
  check_points<2>();
  check_points<3>();
}

TEST(VertexPermutation, ModesOfTriangles)
{
  for (unsigned int degree = 0; degree <= 8; ++degree)
    check_modes<2>(degree);
}

TEST(VertexPermutation, ModesOfTetrahedra)
{
  for (unsigned int degree = 0; degree <= 6; ++degree)
    check_modes<3>(degree);
}
