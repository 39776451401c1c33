// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/fe/reference_element.h>

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// \f$ \int x^a y^b z^c = a!\,b!\,c!\,/\,(a+b+c+d)! \f$ over the reference simplex.
  template <int dim>
  double
  exact_integral(const std::array<unsigned int, dim> &exponents)
  {
    double       result = 1.;
    unsigned int sum    = dim;
    for (const unsigned int exponent : exponents)
      {
        result *= std::tgamma(exponent + 1.);
        sum += exponent;
      }
    return result / std::tgamma(sum + 1.);
  }

  template <int dim>
  double
  integral(const Quadrature<dim> &quadrature, const std::array<unsigned int, dim> &exponents)
  {
    double sum = 0.;
    for (unsigned int q = 0; q < quadrature.size(); ++q)
      {
        double value = quadrature.weight(q);
        for (unsigned int d = 0; d < dim; ++d)
          value *= std::pow(quadrature.point(q)[d], exponents[d]);
        sum += value;
      }
    return sum;
  }

  /// All monomials up to the degree, by recursion over the directions.
  template <int dim>
  void
  expect_exact(const Quadrature<dim>        &quadrature,
               const unsigned int            degree,
               std::array<unsigned int, dim> exponents = {},
               const unsigned int            direction = 0)
  {
    if (direction == dim)
      {
        const double expected = exact_integral<dim>(exponents);
        EXPECT_NEAR(integral<dim>(quadrature, exponents), expected, 1e-11 * expected);
        return;
      }
    for (unsigned int exponent = 0; exponent <= degree; ++exponent)
      {
        exponents[direction] = exponent;
        expect_exact<dim>(quadrature, degree - exponent, exponents, direction + 1);
      }
  }

  template <int dim>
  void
  check_simplex_quadrature()
  {
    for (unsigned int degree = 0; degree <= 18; ++degree)
      {
        SCOPED_TRACE("degree " + std::to_string(degree));
        const Quadrature<dim> quadrature = simplex_quadrature<dim>(degree);
        if (degree <= max_symmetric_degree<dim>())
          {
            EXPECT_EQ(static_cast<int>(quadrature.size()),
                      Simplex<dim>::n_quadrature_points(degree));
          }
        expect_exact<dim>(quadrature, degree);
        for (const Point<dim> &point : quadrature.get_points())
          EXPECT_TRUE(ReferenceCells::get_simplex<dim>().contains_point(point));
      }
  }
} // namespace

/// What compiled kernels take for granted.
template <int dim>
void
check_simplex()
{
  const CellShape<dim> shape;
  EXPECT_EQ(static_cast<int>(shape.reference_cell.n_vertices()), Simplex<dim>::n_vertices);
  EXPECT_EQ(static_cast<int>(shape.n_faces), Simplex<dim>::n_faces);
  EXPECT_EQ(static_cast<int>(shape.n_face_vertices), Simplex<dim>::n_face_vertices);
  EXPECT_EQ(static_cast<int>(shape.n_orientations), Simplex<dim>::n_orientations);
  for (unsigned int degree = 0; degree <= 7; ++degree)
    {
      const ReferenceElement<dim> reference(degree, 2 * degree, 2 * degree);
      EXPECT_EQ(static_cast<int>(reference.n_modes), Simplex<dim>::n_modes(degree));
      EXPECT_EQ(static_cast<int>(reference.n_face_points()),
                Simplex<dim - 1>::n_quadrature_points(2 * degree));
    }
}

TEST(CellShape, IsTheCompiledOne)
{
  check_simplex<2>();
  check_simplex<3>();
}

/// Normals point outwards and add up to nothing; permutations are found by their numbers.
template <int dim>
void
check_shape(const ReferenceCell &reference_cell, const unsigned int n_orientations)
{
  const CellShape<dim> shape(reference_cell);
  EXPECT_EQ(shape.n_orientations, n_orientations);
  for (unsigned int r = 0; r < dim; ++r)
    {
      double sum = 0;
      for (unsigned int f = 0; f < shape.n_faces; ++f)
        sum += shape.face_normals[f * dim + r];
      EXPECT_NEAR(sum, 0., 1e-15);
    }
  int signs = 0;
  for (unsigned int o = 0; o < shape.n_orientations; ++o)
    {
      EXPECT_EQ(shape.orientation(shape.permutation(o)), o);
      EXPECT_EQ(shape.inverse(shape.inverse(o)), o);
      for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
        EXPECT_EQ(shape.permutation(shape.inverse(o))[shape.permutation(o)[j]], j);
      signs += shape.permutation_sign(o);
    }
  EXPECT_EQ(signs, 0);
  EXPECT_EQ(shape.permutation_sign(0), 1);
  for (unsigned int f = 0; f < shape.n_faces; ++f)
    {
      Tensor<2, dim> edges;
      for (unsigned int j = 0; j < dim; ++j)
        edges[j] = shape.reference_cell.template vertex<dim>(shape.face_vertex(f, j)) -
                   shape.reference_cell.template barycenter<dim>();
      EXPECT_GT(determinant(edges) * shape.face_sign(f), 0.);
    }
}

TEST(CellShape, FacesAndPermutations)
{
  check_shape<2>(ReferenceCells::Triangle, 2);
  check_shape<2>(ReferenceCells::Quadrilateral, 2);
  check_shape<3>(ReferenceCells::Tetrahedron, 6);
  check_shape<3>(ReferenceCells::Hexahedron, 8);
  EXPECT_THROW(CellShape<3>(ReferenceCells::Wedge), ExceptionBase);
}

/// The two sides of a face must see the same points.
TEST(ReferenceElement, FacesNeedSymmetricRules)
{
  EXPECT_NO_THROW(ReferenceElement<3>(1, 16, 14));
  EXPECT_THROW(ReferenceElement<3>(1, 1, 15), ExceptionBase);
  EXPECT_NO_THROW(ReferenceElement<2>(1, 16, 20));
}

TEST(SimplexQuadrature, IsExactOnTriangles)
{
  check_simplex_quadrature<2>();
}

TEST(SimplexQuadrature, IsExactOnTetrahedra)
{
  check_simplex_quadrature<3>();
  EXPECT_EQ(simplex_quadrature<3>(12).size(), 156U);
}
