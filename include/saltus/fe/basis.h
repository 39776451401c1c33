// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_basis_h
#define saltus_fe_basis_h

#include <deal.II/base/scalar_polynomials_base.h>
#include <deal.II/grid/reference_cell.h>
#include <deal.II/lac/full_matrix.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// The orthonormal polynomials that elements of a shape have: SimplexModalPolynomials or
  /// HypercubeCollocationPolynomials.
  template <int dim>
  std::shared_ptr<const dealii::ScalarPolynomialsBase<dim>>
  polynomials_of(const dealii::ReferenceCell &cell, const unsigned int degree);

  /// Values of all polynomials m at points q, `(q, m)`.
  template <int dim>
  dealii::FullMatrix<double>
  values_at(const dealii::ScalarPolynomialsBase<dim> &polynomials,
            const std::vector<dealii::Point<dim>>    &points);

  /// Orthonormal polynomials on a reference cell, \f$ \int \phi_m \phi_n = \delta_{mn} \f$, with
  /// what others may ask of them: the mean of a function with given coefficients, how it is written
  /// in the basis of a higher degree, and what of it is seen on a face. All of it is found by
  /// quadrature, so that it holds for any such basis.
  template <int dim>
  class Basis
  {
  public:
    /// That of polynomials_of().
    Basis(const dealii::ReferenceCell &cell, const unsigned int degree);

    /// Any other one.
    Basis(const dealii::ReferenceCell                                     &cell,
          const std::shared_ptr<const dealii::ScalarPolynomialsBase<dim>> &polynomials);

    const dealii::ScalarPolynomialsBase<dim> &
    polynomials() const
    {
      return *modes;
    }

    unsigned int
    n_modes() const
    {
      return modes->n();
    }

    /// Weights \f$ w_m = \int \phi_m / |\hat K| \f$ for which \f$ \sum_m w_m c_m \f$ is the mean of
    /// the function with the coefficients c over an affine element. Zeros at the end are left out:
    /// modes beyond these weights have mean 0.
    const std::vector<double> &
    mean_weights() const
    {
      return weights;
    }

    /// Whether mode 0 alone has a mean, and then is constant.
    bool
    first_mode_is_mean() const
    {
      return weights.size() == 1;
    }

    /// Coefficients `[m]` of a constant function.
    std::vector<double>
    constant(const double value) const;

    /// The orthonormal columns of the matrix `[m][k]` embed the functions of a basis of lower
    /// degree in those of this one; the transposed matrix is the \f$ L^2 \f$ projection back.
    /// @return nothing where the modes of the lower degree are the first of these
    std::vector<double>
    embedding(const Basis &lower) const;

    /// Orthonormal vectors `[k][m]` of coefficients: functions that are orthogonal to all of them
    /// have, on face @p face, zero values and, if @p with_gradients, zero gradients. There are as
    /// many as the traces on the face have dimensions.
    std::vector<std::vector<double>>
    traces(const unsigned int face, const bool with_gradients) const;

  private:
    dealii::ReferenceCell                                     cell;
    std::shared_ptr<const dealii::ScalarPolynomialsBase<dim>> modes;
    std::vector<double>                                       weights;
  };
} // namespace Saltus

#endif
