// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_l2_error_h
#define saltus_tests_helpers_l2_error_h

#include <deal.II/base/function_parser.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/fe/reference_element.h>

namespace Saltus::Tests
{
  /// L2 norm of the error in one component, by deal.II.
  template <int dim, typename VectorType>
  double
  l2_error(const dealii::Mapping<dim>    &mapping,
           const dealii::DoFHandler<dim> &dof_handler,
           const VectorType              &u,
           const Expression              &exact,
           const double                   time      = 0.,
           const unsigned int             component = 0)
  {
    dealii::FunctionParser<dim> parser(exact.n_components(), time);
    parser.initialize(dealii::FunctionParser<dim>::default_variable_names() + ",t",
                      exact.text(),
                      {{"pi", dealii::numbers::PI}},
                      true);
    const dealii::ComponentSelectFunction<dim> one(component, exact.n_components());
    dealii::Vector<double> cell_errors(dof_handler.get_triangulation().n_active_cells());
    dealii::VectorTools::integrate_difference(
      mapping,
      dof_handler,
      u,
      parser,
      cell_errors,
      cell_quadrature<dim>(dof_handler.get_fe().reference_cell(),
                           2 * dof_handler.get_fe().degree + 4),
      dealii::VectorTools::L2_norm,
      &one);
    return cell_errors.l2_norm();
  }
} // namespace Saltus::Tests

#endif
