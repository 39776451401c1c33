// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_hypercube_collocation_polynomials_h
#define saltus_fe_hypercube_collocation_polynomials_h

#include <deal.II/base/tensor_product_polynomials.h>

#include <memory>
#include <string>

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
  template <int dim>
  class HypercubeCollocationPolynomials : public dealii::TensorProductPolynomials<dim>
  {
  public:
    /// All modes of degree at most @p degree in each direction, which has no upper limit.
    explicit HypercubeCollocationPolynomials(const unsigned int degree);

    /// In each direction.
    unsigned int
    degree() const override;

    std::unique_ptr<dealii::ScalarPolynomialsBase<dim>>
    clone() const override;

    /// `HypercubeCollocationPolynomials`
    std::string
    name() const override;
  };
} // namespace Saltus

#endif
