// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/device/dealii_compatibility.h>
#include <saltus/fe/collapsed_gauss.h>
#include <saltus/fe/fe_orthonormal_dg.h>

namespace Saltus
{
  namespace
  {
    template <int dim>
    dealii::FiniteElementData<dim>
    element_data(const dealii::ReferenceCell              &cell,
                 const dealii::ScalarPolynomialsBase<dim> &polynomials)
    {
      std::vector<unsigned int> dofs_per_object(dim + 1, 0);
      dofs_per_object[dim] = polynomials.n();
      return {dofs_per_object, cell, 1, polynomials.degree(), dealii::FiniteElementData<dim>::L2};
    }

    /// The points that @p points become where the reference cell is mapped affinely to @p cell.
    template <int dim, typename CellIterator>
    std::vector<dealii::Point<dim>>
    points_in(const CellIterator &cell, const std::vector<dealii::Point<dim>> &points)
    {
      const bool                      is_hyper_cube = cell->reference_cell().is_hyper_cube();
      std::vector<dealii::Point<dim>> result;
      for (const dealii::Point<dim> &point : points)
        {
          result.push_back(cell->vertex(0));
          for (unsigned int d = 0; d < dim; ++d)
            result.back() +=
              point[d] * (cell->vertex(is_hyper_cube ? 1 << d : d + 1) - cell->vertex(0));
        }
      return result;
    }
  } // namespace

  template <int dim>
  FE_OrthonormalDG<dim>::FE_OrthonormalDG(const dealii::ReferenceCell              &cell,
                                          const dealii::ScalarPolynomialsBase<dim> &polynomials)
    : dealii::FE_Poly<dim>(polynomials,
                           element_data(cell, polynomials),
                           std::vector<bool>(polynomials.n(), true),
                           std::vector<dealii::ComponentMask>(polynomials.n(),
                                                              dealii::ComponentMask(1, true)))
    , basis(cell, polynomials.clone())
  {
    initialize_transfer_matrices();
  }

  template <int dim>
  void
  FE_OrthonormalDG<dim>::initialize_transfer_matrices()
  {
    const auto &modes = basis.polynomials();
    const auto  quadrature =
      gauss_rule<dim>(this->reference_cell().is_hyper_cube(), 2 * this->degree);

    // The shape of the children is taken from the triangulation itself.
    for (unsigned int way = 0; way < Compatibility::n_isotropic_refinements(this->reference_cell());
         ++way)
      {
        dealii::Triangulation<dim> triangulation;
        dealii::GridGenerator::reference_cell(triangulation, this->reference_cell());
        Compatibility::refine_isotropically(triangulation, way);
        const auto parent = triangulation.begin(0);

        auto weighted = values_at(modes, quadrature.get_points());
        for (unsigned int q = 0; q < weighted.m(); ++q)
          for (unsigned int i = 0; i < weighted.n(); ++i)
            weighted(q, i) *= quadrature.weight(q);

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
            weighted.Tmmult(prolongation[c],
                            values_at(modes,
                                      points_in<dim>(parent->child(c), quadrature.get_points())));
            restriction[c].reinit(modes.n(), modes.n());
            restriction[c].Tadd(1. / n_children, prolongation[c]);
          }
      }
  }

  template <int dim>
  std::string
  FE_OrthonormalDG<dim>::name_with_degree(const std::string &name) const
  {
    return name + "<" + std::to_string(dim) + ">(" + std::to_string(this->degree) + ")";
  }

  template <int dim>
  const FE_OrthonormalDG<dim> *
  FE_OrthonormalDG<dim>::alike(const dealii::FiniteElement<dim> &other) const
  {
    return other.reference_cell() == this->reference_cell()
             ? dynamic_cast<const FE_OrthonormalDG *>(&other)
             : nullptr;
  }

  template <int dim>
  bool
  FE_OrthonormalDG<dim>::has_support_on_face(const unsigned int, const unsigned int) const
  {
    return true;
  }

  template <int dim>
  std::pair<dealii::Table<2, bool>, std::vector<unsigned int>>
  FE_OrthonormalDG<dim>::get_constant_modes() const
  {
    AssertThrow(basis.first_mode_is_mean(), dealii::ExcNotImplemented());
    dealii::Table<2, bool> constant_modes(1, this->n_dofs_per_cell());
    constant_modes(0, 0) = true;
    return {constant_modes, {0}};
  }

  template <int dim>
  void
  FE_OrthonormalDG<dim>::get_interpolation_matrix(const dealii::FiniteElement<dim> &source,
                                                  dealii::FullMatrix<double>       &matrix) const
  {
    AssertThrow(source.n_components() == 1 && source.reference_cell() == this->reference_cell(),
                typename dealii::FiniteElement<dim>::ExcInterpolationNotImplemented());
    AssertDimension(matrix.m(), this->n_dofs_per_cell());
    AssertDimension(matrix.n(), source.n_dofs_per_cell());
    const FE_OrthonormalDG *other = alike(source);
    if (other == nullptr)
      {
        const auto rule =
          gauss_rule<dim>(this->reference_cell().is_hyper_cube(), this->degree + source.degree);
        matrix = 0.;
        for (unsigned int q = 0; q < rule.size(); ++q)
          for (unsigned int i = 0; i < matrix.m(); ++i)
            for (unsigned int j = 0; j < matrix.n(); ++j)
              matrix(i, j) += rule.weight(q) * this->shape_value(i, rule.point(q)) *
                              source.shape_value(j, rule.point(q));
        return;
      }
    const bool                embeds    = source.degree <= this->degree;
    const Basis<dim>         &lower     = embeds ? other->basis : basis;
    const std::vector<double> embedding = (embeds ? basis : other->basis).embedding(lower);
    for (unsigned int i = 0; i < matrix.m(); ++i)
      for (unsigned int j = 0; j < matrix.n(); ++j)
        if (embedding.empty())
          matrix(i, j) = i == j ? 1. : 0.;
        else
          matrix(i, j) =
            embeds ? embedding[i * lower.n_modes() + j] : embedding[j * lower.n_modes() + i];
  }

  template <int dim>
  dealii::FiniteElementDomination::Domination
  FE_OrthonormalDG<dim>::compare_for_domination(const dealii::FiniteElement<dim> &other,
                                                const unsigned int                codim) const
  {
    using namespace dealii::FiniteElementDomination;
    AssertIndexRange(codim, dim + 1);
    if (codim > 0)
      return no_requirements;
    if (const auto *nothing = dynamic_cast<const dealii::FE_Nothing<dim> *>(&other))
      return nothing->is_dominating() ? other_element_dominates : no_requirements;

    AssertThrow(alike(other) != nullptr, dealii::ExcNotImplemented());
    if (this->degree == other.degree)
      return either_element_can_dominate;
    return this->degree < other.degree ? this_element_dominates : other_element_dominates;
  }

  template <int dim>
  bool
  FE_OrthonormalDG<dim>::hp_constraints_are_implemented() const
  {
    return true;
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_OrthonormalDG<dim>::hp_vertex_dof_identities(const dealii::FiniteElement<dim> &) const
  {
    return {};
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_OrthonormalDG<dim>::hp_line_dof_identities(const dealii::FiniteElement<dim> &) const
  {
    return {};
  }

  template <int dim>
  std::vector<std::pair<unsigned int, unsigned int>>
  FE_OrthonormalDG<dim>::hp_quad_dof_identities(const dealii::FiniteElement<dim> &,
                                                const unsigned int) const
  {
    return {};
  }

  template class FE_OrthonormalDG<2>;
  template class FE_OrthonormalDG<3>;
} // namespace Saltus
