// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/device/dealii_compatibility.h>
#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/simplex_modal_polynomials.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  namespace
  {
    template <int dim>
    dealii::FiniteElementData<dim>
    element_data(const unsigned int degree)
    {
      std::vector<unsigned int> dofs_per_object(dim + 1, 0);
      dofs_per_object[dim] = SimplexModalPolynomials<dim>::n_polynomials(degree);
      return {dofs_per_object,
              dealii::ReferenceCells::get_simplex<dim>(),
              1,
              degree,
              dealii::FiniteElementData<dim>::L2};
    }

    /// Values of all modes, `(mode, point)`, at points that are mapped affinely so that the
    /// reference vertices (the origin first) become @p vertices.
    template <int dim>
    dealii::FullMatrix<double>
    modes_at(const dealii::ScalarPolynomialsBase<dim> &modes,
             const std::vector<dealii::Point<dim>>    &points,
             const std::vector<dealii::Point<dim>>    &vertices)
    {
      dealii::FullMatrix<double>          table(modes.n(), points.size());
      std::vector<double>                 values(modes.n());
      std::vector<dealii::Tensor<1, dim>> no_1st;
      std::vector<dealii::Tensor<2, dim>> no_2nd;
      std::vector<dealii::Tensor<3, dim>> no_3rd;
      std::vector<dealii::Tensor<4, dim>> no_4th;
      for (unsigned int q = 0; q < points.size(); ++q)
        {
          dealii::Point<dim> p = vertices[0];
          for (unsigned int d = 0; d < dim; ++d)
            p += points[q][d] * (vertices[d + 1] - vertices[0]);
          modes.evaluate(p, values, no_1st, no_2nd, no_3rd, no_4th);
          for (unsigned int i = 0; i < modes.n(); ++i)
            table(i, q) = values[i];
        }
      return table;
    }

    template <typename CellIterator>
    auto
    vertices_of(const CellIterator &cell)
    {
      std::vector<std::decay_t<decltype(cell->vertex(0))>> vertices;
      for (const unsigned int v : cell->vertex_indices())
        vertices.push_back(cell->vertex(v));
      return vertices;
    }
  } // namespace

  template <int dim>
  FE_SimplexDGModal<dim>::FE_SimplexDGModal(const unsigned int degree)
    : dealii::FE_Poly<dim>(
        SimplexModalPolynomials<dim>(degree),
        element_data<dim>(degree),
        std::vector<bool>(SimplexModalPolynomials<dim>::n_polynomials(degree), true),
        std::vector<dealii::ComponentMask>(SimplexModalPolynomials<dim>::n_polynomials(degree),
                                           dealii::ComponentMask(1, true)))
  {
    initialize_transfer_matrices();
  }

  template <int dim>
  void
  FE_SimplexDGModal<dim>::initialize_transfer_matrices()
  {
    const auto &modes      = this->get_poly_space();
    const auto  quadrature = collapsed_gauss<dim>(2 * this->degree);

    // The shape of the children is taken from the triangulation itself.
    for (unsigned int way = 0; way < Compatibility::n_isotropic_refinements(this->reference_cell());
         ++way)
      {
        dealii::Triangulation<dim> triangulation;
        dealii::GridGenerator::reference_cell(triangulation, this->reference_cell());
        Compatibility::refine_isotropically(triangulation, way);
        const auto parent = triangulation.begin(0);

        auto weighted = modes_at(modes, quadrature.get_points(), vertices_of(parent));
        for (unsigned int i = 0; i < weighted.m(); ++i)
          for (unsigned int q = 0; q < weighted.n(); ++q)
            weighted(i, q) *= quadrature.weight(q);

        const unsigned int n_children   = parent->n_children();
        auto              &prolongation = this->prolongation[parent->refinement_case() - 1];
        auto              &restriction  = this->restriction[parent->refinement_case() - 1];
        prolongation.resize(n_children);
        restriction.resize(n_children);
        for (unsigned int c = 0; c < n_children; ++c)
          {
            // Because the modes are orthonormal, the projection to the child has the coefficients
            // (mode i on the child, mode j of the parent); the one from the child is its adjoint.
            prolongation[c].reinit(modes.n(), modes.n());
            weighted.mTmult(prolongation[c],
                            modes_at(modes,
                                     quadrature.get_points(),
                                     vertices_of(parent->child(c))));
            restriction[c].reinit(modes.n(), modes.n());
            restriction[c].Tadd(1. / n_children, prolongation[c]);
          }
      }
  }

  template <int dim>
  std::unique_ptr<dealii::FiniteElement<dim>>
  FE_SimplexDGModal<dim>::clone() const
  {
    return std::make_unique<FE_SimplexDGModal<dim>>(*this);
  }

  template <int dim>
  std::string
  FE_SimplexDGModal<dim>::get_name() const
  {
    return "FE_SimplexDGModal<" + std::to_string(dim) + ">(" + std::to_string(this->degree) + ")";
  }

  template <int dim>
  bool
  FE_SimplexDGModal<dim>::has_support_on_face(const unsigned int, const unsigned int) const
  {
    return true;
  }

  template <int dim>
  std::pair<dealii::Table<2, bool>, std::vector<unsigned int>>
  FE_SimplexDGModal<dim>::get_constant_modes() const
  {
    dealii::Table<2, bool> constant_modes(1, this->n_dofs_per_cell());
    constant_modes(0, 0) = true;
    return {constant_modes, {0}};
  }

  template <int dim>
  void
  FE_SimplexDGModal<dim>::get_interpolation_matrix(const dealii::FiniteElement<dim> &source,
                                                   dealii::FullMatrix<double>       &matrix) const
  {
    AssertThrow(dynamic_cast<const FE_SimplexDGModal<dim> *>(&source) != nullptr,
                typename dealii::FiniteElement<dim>::ExcInterpolationNotImplemented());
    AssertDimension(matrix.m(), this->n_dofs_per_cell());
    AssertDimension(matrix.n(), source.n_dofs_per_cell());
    matrix = 0.;
    for (unsigned int i = 0; i < std::min(matrix.m(), matrix.n()); ++i)
      matrix(i, i) = 1.;
  }

  template <int dim>
  dealii::FiniteElementDomination::Domination
  FE_SimplexDGModal<dim>::compare_for_domination(const dealii::FiniteElement<dim> &other,
                                                 const unsigned int                codim) const
  {
    using namespace dealii::FiniteElementDomination;
    AssertIndexRange(codim, dim + 1);
    if (codim > 0)
      return no_requirements;
    if (const auto *nothing = dynamic_cast<const dealii::FE_Nothing<dim> *>(&other))
      return nothing->is_dominating() ? other_element_dominates : no_requirements;

    AssertThrow(dynamic_cast<const FE_SimplexDGModal<dim> *>(&other) != nullptr,
                dealii::ExcNotImplemented());
    if (this->degree == other.degree)
      return either_element_can_dominate;
    return this->degree < other.degree ? this_element_dominates : other_element_dominates;
  }

  template <int dim>
  bool
  FE_SimplexDGModal<dim>::hp_constraints_are_implemented() const
  {
    return true;
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_SimplexDGModal<dim>::hp_vertex_dof_identities(const dealii::FiniteElement<dim> &) const
  {
    return {};
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_SimplexDGModal<dim>::hp_line_dof_identities(const dealii::FiniteElement<dim> &) const
  {
    return {};
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_SimplexDGModal<dim>::hp_quad_dof_identities(const dealii::FiniteElement<dim> &,
                                                 const unsigned int) const
  {
    return {};
  }

  template class FE_SimplexDGModal<2>;
  template class FE_SimplexDGModal<3>;
} // namespace Saltus
