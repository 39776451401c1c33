// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/hypercube_collocation_polynomials.h>

namespace Saltus
{
  template <int dim>
  FE_HypercubeDG<dim>::FE_HypercubeDG(const unsigned int degree)
    : FE_OrthonormalDG<dim>(dealii::ReferenceCells::get_hypercube<dim>(),
                            HypercubeCollocationPolynomials<dim>(degree))
  {}

  template <int dim>
  std::unique_ptr<dealii::FiniteElement<dim>>
  FE_HypercubeDG<dim>::clone() const
  {
    return std::make_unique<FE_HypercubeDG<dim>>(*this);
  }

  template <int dim>
  std::string
  FE_HypercubeDG<dim>::get_name() const
  {
    return this->name_with_degree("FE_HypercubeDG");
  }

  template class FE_HypercubeDG<2>;
  template class FE_HypercubeDG<3>;
} // namespace Saltus
