// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_fe_orthonormal_dg_h
#define saltus_fe_fe_orthonormal_dg_h

#include <deal.II/fe/fe_poly.h>

#include <saltus/fe/basis.h>

#include <utility>
#include <vector>

namespace Saltus
{
  /// Discontinuous element with an orthonormal basis on the reference cell; what such elements have
  /// in common. On an affine cell the mass matrix is det(J) times the identity.
  ///
  /// All degrees of freedom are in the interior of the cell and there are no support points, so
  /// `VectorTools::interpolate` does not apply; use a projection. Prolongation and restriction
  /// belong to the isotropic refinement of the reference cell: prolongation is exact, restriction
  /// the \f$L^2\f$ projection (on curved cells, the one with the reference cell's weight). Ask for
  /// them with the cell's `refinement_case()`: from deal.II 9.6 on tetrahedra have three, and
  /// `RefinementCase<3>::isotropic_refinement`, which is the default argument and what
  /// `isotropic_prolongation_is_implemented()` looks at, is none of them.
  template <int dim>
  class FE_OrthonormalDG : public dealii::FE_Poly<dim>
  {
  public:
    /// Always true: no mode vanishes on a whole face.
    bool
    has_support_on_face(const unsigned int shape_index,
                        const unsigned int face_index) const override;

    /// Mode 0 represents the constants.
    /// @throws dealii::ExcNotImplemented if it does not: a table of flags cannot say what does
    std::pair<dealii::Table<2, bool>, std::vector<unsigned int>>
    get_constant_modes() const override;

    /// Map the coefficients of @p source, a scalar element on the same reference cell, to those of
    /// this element: the \f$L^2\f$ projection there. @p matrix has as many rows as this element has
    /// modes and as many columns as @p source. The way back to an element with support points, as
    /// FE_DGQ and FE_SimplexDGP, is the interpolation by FETools::get_interpolation_matrix().
    /// @throws dealii::FiniteElement::ExcInterpolationNotImplemented for any other element
    void
    get_interpolation_matrix(const dealii::FiniteElement<dim> &source,
                             dealii::FullMatrix<double>       &matrix) const override;

    /// Between cells (@p codim 0) the lower degree dominates; on faces nothing is required.
    /// @throws dealii::ExcNotImplemented for other elements than this kind and FE_Nothing
    dealii::FiniteElementDomination::Domination
    compare_for_domination(const dealii::FiniteElement<dim> &other,
                           const unsigned int                codim = 0) const override;

    /// True: there is nothing to constrain.
    bool
    hp_constraints_are_implemented() const override;

    /// Empty, as for lines and quadrilaterals: no degrees of freedom are shared.
    std::vector<std::pair<unsigned int, unsigned int>>
    hp_vertex_dof_identities(const dealii::FiniteElement<dim> &other) const override;

    std::vector<std::pair<unsigned int, unsigned int>>
    hp_line_dof_identities(const dealii::FiniteElement<dim> &other) const override;

    std::vector<std::pair<unsigned int, unsigned int>>
    hp_quad_dof_identities(const dealii::FiniteElement<dim> &other,
                           const unsigned int                face_no = 0) const override;

  protected:
    FE_OrthonormalDG(const dealii::ReferenceCell              &cell,
                     const dealii::ScalarPolynomialsBase<dim> &polynomials);

    /// What get_name() returns for an element called @p name.
    std::string
    name_with_degree(const std::string &name) const;

  private:
    /// Fill the base class's prolongation and restriction matrices.
    void
    initialize_transfer_matrices();

    /// @p other, if it is of this kind and on the same reference cell.
    const FE_OrthonormalDG *
    alike(const dealii::FiniteElement<dim> &other) const;

    const Basis<dim> basis;
  };
} // namespace Saltus

#endif
