// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/reference_element.h>

#include <cmath>
#include <gtest/gtest.h>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// \f$ \int x^i y^j z^k = i!\,j!\,k!/(i+j+k+dim)! \f$ on the reference simplex, up to @p degree.
  template <int dim>
  void
  check_exactness(const unsigned int degree)
  {
    const Quadrature<dim> quadrature = simplex_quadrature<dim>(degree);
    for (unsigned int i = 0; i <= degree; ++i)
      for (unsigned int j = 0; i + j <= degree; ++j)
        for (unsigned int k = 0; k <= (dim == 3 ? degree - i - j : 0); ++k)
          {
            double sum = 0;
            for (unsigned int q = 0; q < quadrature.size(); ++q)
              sum += quadrature.weight(q) * std::pow(quadrature.point(q)[0], i) *
                     std::pow(quadrature.point(q)[1], j) *
                     std::pow(dim == 3 ? quadrature.point(q)[dim - 1] : 1., k);
            const double exact = std::tgamma(i + 1) * std::tgamma(j + 1) * std::tgamma(k + 1) /
                                 std::tgamma(i + j + k + dim + 1);
            EXPECT_NEAR(sum / exact, 1., 1e-12)
              << "degree " << degree << ", monomial " << i << ' ' << j << ' ' << k;
          }
  }
} // namespace


TEST(SimplexQuadrature, IsExact)
{
  for (unsigned int degree = 0; degree <= 14; ++degree)
    check_exactness<2>(degree);
  for (unsigned int degree = 0; degree <= 10; ++degree)
    check_exactness<3>(degree);
}


TEST(SimplexQuadrature, RefusesLargerDegrees)
{
  EXPECT_THROW(simplex_quadrature<2>(15), ExceptionBase);
  EXPECT_THROW(simplex_quadrature<3>(11), ExceptionBase);
}
