// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_hypercube_collocation_polynomials_h
#define saltus_fe_hypercube_collocation_polynomials_h

#include <deal.II/base/scalar_polynomials_base.h>
#include <deal.II/base/tensor_product_polynomials.h>

#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// Orthonormal polynomials on the unit square or cube,
  /// \f$\int \varphi_m \varphi_n \,\mathrm dx = \delta_{mn}\f$, in collocation form. They span the
  /// tensor space \f$Q_k\f$.
  ///
  /// The mode with indices \f$(i_0, \dots, i_{dim-1})\f$, the first of which runs fastest, is
  /// \f[
  ///   \varphi = \prod_d \frac{\ell_{i_d}(x_d)}{\sqrt{w_{i_d}}}
  /// \f]
  /// with the Lagrange polynomials \f$\ell\f$ of the k+1 points of Gauss's rule on [0, 1], whose
  /// weights are w. So a coefficient is the value at one point times the root of its weight in the
  /// tensor product of this rule, which is exact for products of two modes. No mode is constant,
  /// and those of a lower degree are not among these.
  ///
  /// The class is no TensorProductPolynomials: deal.II's MatrixFree takes each element with such
  /// polynomials for one with support points.
  template <int dim>
  class HypercubeCollocationPolynomials : public dealii::ScalarPolynomialsBase<dim>
  {
  public:
    /// All modes of degree at most @p degree in each direction, which has no upper limit.
    explicit HypercubeCollocationPolynomials(const unsigned int degree);

    /// All modes at @p unit_point. Each array has either n() entries, and is filled, or none, and
    /// is left out.
    void
    evaluate(const dealii::Point<dim>            &unit_point,
             std::vector<double>                 &values,
             std::vector<dealii::Tensor<1, dim>> &grads,
             std::vector<dealii::Tensor<2, dim>> &grad_grads,
             std::vector<dealii::Tensor<3, dim>> &third_derivatives,
             std::vector<dealii::Tensor<4, dim>> &fourth_derivatives) const override;

    /// Value of mode @p i at @p p.
    double
    compute_value(const unsigned int i, const dealii::Point<dim> &p) const override;

    dealii::Tensor<1, dim>
    compute_1st_derivative(const unsigned int i, const dealii::Point<dim> &p) const override;

    dealii::Tensor<2, dim>
    compute_2nd_derivative(const unsigned int i, const dealii::Point<dim> &p) const override;

    dealii::Tensor<3, dim>
    compute_3rd_derivative(const unsigned int i, const dealii::Point<dim> &p) const override;

    dealii::Tensor<4, dim>
    compute_4th_derivative(const unsigned int i, const dealii::Point<dim> &p) const override;

    /// The same as compute_1st_derivative().
    dealii::Tensor<1, dim>
    compute_grad(const unsigned int i, const dealii::Point<dim> &p) const override;

    /// The same as compute_2nd_derivative().
    dealii::Tensor<2, dim>
    compute_grad_grad(const unsigned int i, const dealii::Point<dim> &p) const override;

    std::unique_ptr<dealii::ScalarPolynomialsBase<dim>>
    clone() const override;

    /// `HypercubeCollocationPolynomials`
    std::string
    name() const override;

    std::size_t
    memory_consumption() const override;

  private:
    dealii::TensorProductPolynomials<dim> products;
  };
} // namespace Saltus

#endif
