// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_dg_element_h
#define saltus_fe_dg_element_h

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
} // namespace Saltus

#endif
