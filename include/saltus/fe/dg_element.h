// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_dg_element_h
#define saltus_fe_dg_element_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/fe/fe_simplex_dg_modal.h>

#include <memory>

namespace Saltus
{
  /// The element that operators need on cells of a shape: FE_SimplexDGModal or FE_HypercubeDG.
  template <int dim>
  std::unique_ptr<FE_OrthonormalDG<dim>>
  dg_element(const dealii::ReferenceCell &cell, const unsigned int degree)
  {
    if (cell.is_hyper_cube())
      return std::make_unique<FE_HypercubeDG<dim>>(degree);
    return std::make_unique<FE_SimplexDGModal<dim>>(degree);
  }

  /// The element of a DoFHandler on cells of a shape: of those of a collection the one for it, if
  /// there is one, else the first.
  template <int dim>
  const dealii::FiniteElement<dim> &
  element_on(const dealii::DoFHandler<dim> &dof_handler, const dealii::ReferenceCell &cell)
  {
    const auto &elements = dof_handler.get_fe_collection();
    for (unsigned int i = 0; i < elements.size(); ++i)
      if (elements[i].reference_cell() == cell)
        return elements[i];
    return elements[0];
  }
} // namespace Saltus

#endif
