// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/fe/simplex_modal_polynomials.h>

namespace Saltus
{
  template <int dim>
  FE_SimplexDGModal<dim>::FE_SimplexDGModal(const unsigned int degree)
    : FE_OrthonormalDG<dim>(dealii::ReferenceCells::get_simplex<dim>(),
                            SimplexModalPolynomials<dim>(degree))
  {}

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
    return this->name_with_degree("FE_SimplexDGModal");
  }

  template class FE_SimplexDGModal<2>;
  template class FE_SimplexDGModal<3>;
} // namespace Saltus
