// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/polynomial.h>
#include <deal.II/base/quadrature_lib.h>

#include <saltus/fe/hypercube_collocation_polynomials.h>

#include <cmath>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The polynomials in one direction.
    std::vector<Polynomials::Polynomial<double>>
    scaled_lagrange_basis(const unsigned int degree)
    {
      const QGauss<1>                              rule(degree + 1);
      std::vector<Polynomials::Polynomial<double>> result;
      for (unsigned int i = 0; i < rule.size(); ++i)
        {
          result.emplace_back(rule.get_points(), i);
          result.back() *= 1. / std::sqrt(rule.weight(i));
        }
      return result;
    }
  } // namespace

  template <int dim>
  HypercubeCollocationPolynomials<dim>::HypercubeCollocationPolynomials(const unsigned int degree)
    : TensorProductPolynomials<dim>(scaled_lagrange_basis(degree))
  {}

  template <int dim>
  unsigned int
  HypercubeCollocationPolynomials<dim>::degree() const
  {
    return this->polynomials.size() - 1;
  }

  template <int dim>
  std::unique_ptr<ScalarPolynomialsBase<dim>>
  HypercubeCollocationPolynomials<dim>::clone() const
  {
    return std::make_unique<HypercubeCollocationPolynomials<dim>>(*this);
  }

  template <int dim>
  std::string
  HypercubeCollocationPolynomials<dim>::name() const
  {
    return "HypercubeCollocationPolynomials";
  }

  template class HypercubeCollocationPolynomials<2>;
  template class HypercubeCollocationPolynomials<3>;
} // namespace Saltus
