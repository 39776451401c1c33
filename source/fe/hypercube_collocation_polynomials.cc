// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/polynomial.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/utilities.h>

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
    : ScalarPolynomialsBase<dim>(degree, Utilities::fixed_power<dim>(degree + 1))
    , products(scaled_lagrange_basis(degree))
  {}

  template <int dim>
  void
  HypercubeCollocationPolynomials<dim>::evaluate(
    const Point<dim>            &unit_point,
    std::vector<double>         &values,
    std::vector<Tensor<1, dim>> &grads,
    std::vector<Tensor<2, dim>> &grad_grads,
    std::vector<Tensor<3, dim>> &third_derivatives,
    std::vector<Tensor<4, dim>> &fourth_derivatives) const
  {
    products.evaluate(unit_point, values, grads, grad_grads, third_derivatives, fourth_derivatives);
  }

  template <int dim>
  double
  HypercubeCollocationPolynomials<dim>::compute_value(const unsigned int i,
                                                      const Point<dim>  &p) const
  {
    return products.compute_value(i, p);
  }

  template <int dim>
  Tensor<1, dim>
  HypercubeCollocationPolynomials<dim>::compute_1st_derivative(const unsigned int i,
                                                               const Point<dim>  &p) const
  {
    return products.compute_1st_derivative(i, p);
  }

  template <int dim>
  Tensor<2, dim>
  HypercubeCollocationPolynomials<dim>::compute_2nd_derivative(const unsigned int i,
                                                               const Point<dim>  &p) const
  {
    return products.compute_2nd_derivative(i, p);
  }

  template <int dim>
  Tensor<3, dim>
  HypercubeCollocationPolynomials<dim>::compute_3rd_derivative(const unsigned int i,
                                                               const Point<dim>  &p) const
  {
    return products.compute_3rd_derivative(i, p);
  }

  template <int dim>
  Tensor<4, dim>
  HypercubeCollocationPolynomials<dim>::compute_4th_derivative(const unsigned int i,
                                                               const Point<dim>  &p) const
  {
    return products.compute_4th_derivative(i, p);
  }

  template <int dim>
  Tensor<1, dim>
  HypercubeCollocationPolynomials<dim>::compute_grad(const unsigned int i,
                                                     const Point<dim>  &p) const
  {
    return products.compute_grad(i, p);
  }

  template <int dim>
  Tensor<2, dim>
  HypercubeCollocationPolynomials<dim>::compute_grad_grad(const unsigned int i,
                                                          const Point<dim>  &p) const
  {
    return products.compute_grad_grad(i, p);
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

  template <int dim>
  std::size_t
  HypercubeCollocationPolynomials<dim>::memory_consumption() const
  {
    return products.memory_consumption();
  }

  template class HypercubeCollocationPolynomials<2>;
  template class HypercubeCollocationPolynomials<3>;
} // namespace Saltus
