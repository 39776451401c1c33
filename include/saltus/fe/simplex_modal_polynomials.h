// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_simplex_modal_polynomials_h
#define saltus_fe_simplex_modal_polynomials_h

#include <deal.II/base/scalar_polynomials_base.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// Orthonormal polynomials on deal.II's reference triangle or tetrahedron (the unit simplex),
  /// \f$\int \varphi_m \varphi_n \,\mathrm dx = \delta_{mn}\f$, known by the names of Proriol,
  /// Koornwinder and Dubiner. They span the complete space \f$P_k\f$.
  ///
  /// The mode with indices \f$(n_0, \dots, n_{dim-1})\f$ is
  /// \f[
  ///   \varphi = \prod_{d} \sqrt{2 m_{d+1} + d + 1}\; t_d^{n_d}
  ///     P_{n_d}^{(2 m_d + d,\, 0)}\!\left(\frac{s_d}{t_d}\right), \qquad
  ///   m_d = \sum_{e<d} n_e, \quad t_d = 1 - \sum_{e>d} x_e, \quad s_d = 2 x_d - t_d,
  /// \f]
  /// with Jacobi polynomials \f$P^{(\alpha,\beta)}_n\f$. The products \f$t^n P_n(s/t)\f$ are
  /// polynomials in \f$s\f$ and \f$t\f$ with a three-term recurrence of their own that never
  /// divides by \f$t\f$, so that values and derivatives are exact up to and including the vertices.
  ///
  /// Modes are ordered by their total degree \f$m_{dim}\f$ and within one degree lexicographically
  /// by their indices: the modes of degree k are the first ones of degree k + 1.
  ///
  /// Source: M. Dubiner, Spectral methods on triangles and other domains, J. Sci. Comput. 6 (1991),
  /// sections 5 and 6.
  template <int dim>
  class SimplexModalPolynomials : public dealii::ScalarPolynomialsBase<dim>
  {
  public:
    /// All modes of total degree at most @p degree, which has no upper limit.
    explicit SimplexModalPolynomials(const unsigned int degree);

    /// Dimension of \f$P_k\f$, binomial(@p degree + dim, dim).
    static unsigned int
    n_polynomials(const unsigned int degree);

    /// All modes at @p unit_point. Each array has either n() entries, and is filled, or none, and
    /// is left out.
    /// @throws dealii::ExcNotImplemented if third or fourth derivatives are asked for
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

    /// @throws dealii::ExcNotImplemented always
    dealii::Tensor<3, dim>
    compute_3rd_derivative(const unsigned int i, const dealii::Point<dim> &p) const override;

    /// @throws dealii::ExcNotImplemented always
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

    /// `SimplexModalPolynomials`
    std::string
    name() const override;

    std::size_t
    memory_consumption() const override;

  private:
    /// Indices \f$(n_0, \dots, n_{dim-1})\f$ of each mode.
    std::vector<std::array<unsigned int, dim>> mode_indices;
  };
} // namespace Saltus

#endif
