// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_dg_element_h
#define saltus_fe_dg_element_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/hp/fe_collection.h>

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

  /// Distribute the degrees of freedom of elements, each on the cells of its shape.
  template <int dim>
  void
  distribute_dofs(dealii::DoFHandler<dim>             &dof_handler,
                  const dealii::hp::FECollection<dim> &elements)
  {
    if (elements.size() > 1)
      for (const auto &cell : dof_handler.active_cell_iterators())
        for (unsigned int i = 0; i < elements.size() && cell->is_locally_owned(); ++i)
          if (elements[i].reference_cell() == cell->reference_cell())
            cell->set_active_fe_index(i);
    dof_handler.distribute_dofs(elements);
  }

  /// The degree of all elements of a DoFHandler.
  /// @throws dealii::ExcMessage without degrees of freedom, and for a collection with elements of
  /// several degrees or with several elements for one shape
  template <int dim>
  unsigned int
  common_degree(const dealii::DoFHandler<dim> &dof_handler)
  {
    AssertThrow(dof_handler.has_active_dofs(),
                dealii::ExcMessage("The DoFHandler has no degrees of freedom. Give it a "
                                   "triangulation and call its distribute_dofs() first."));
    const auto &elements = dof_handler.get_fe_collection();
    for (unsigned int i = 0; i < elements.size(); ++i)
      for (unsigned int j = 0; j < i; ++j)
        AssertThrow(elements[i].degree == elements[j].degree &&
                      elements[i].reference_cell() != elements[j].reference_cell(),
                    dealii::ExcMessage("The DoFHandler has a collection with the elements " +
                                       elements[j].get_name() + " and " + elements[i].get_name() +
                                       ". Elements of a collection need one degree and different "
                                       "shapes."));
    return elements[0].degree;
  }

  /// The element of a DoFHandler on cells of a shape: of those of a collection the one for it, if
  /// there is one, else the first.
  /// @throws dealii::ExcMessage as common_degree() does
  template <int dim>
  const dealii::FiniteElement<dim> &
  element_on(const dealii::DoFHandler<dim> &dof_handler, const dealii::ReferenceCell &cell)
  {
    common_degree(dof_handler);
    const auto &elements = dof_handler.get_fe_collection();
    for (unsigned int i = 0; i < elements.size(); ++i)
      if (elements[i].reference_cell() == cell)
        return elements[i];
    return elements[0];
  }
} // namespace Saltus

#endif
