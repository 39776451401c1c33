// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/convergence_table.h>
#include <deal.II/base/function_parser.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/fe/reference_element.h>
#include <saltus/io/error_table.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  double
  l2_error(const Mapping<dim>           &mapping,
           const DoFHandler<dim>        &dof_handler,
           const dealii::Vector<double> &solution,
           const Expression             &exact,
           const double                  time)
  {
    const unsigned int  n_components = exact.n_components();
    FunctionParser<dim> parser(n_components);
    parser.initialize(FunctionParser<dim>::default_variable_names() + ",t",
                      exact.text(),
                      exact.constants(),
                      true);
    parser.set_time(time);
    const unsigned int                 degree     = dof_handler.get_fe().degree;
    const unsigned int                 max_degree = 14; // of the rules there are
    const ComponentSelectFunction<dim> first(0, n_components);
    const auto                        &triangulation = dof_handler.get_triangulation();
    dealii::Vector<double>             cell_errors(triangulation.n_active_cells());
    VectorTools::integrate_difference(mapping,
                                      dof_handler,
                                      solution,
                                      parser,
                                      cell_errors,
                                      simplex_quadrature<dim>(std::min(2 * degree + 4, max_degree)),
                                      VectorTools::L2_norm,
                                      &first);
    return VectorTools::compute_global_error(triangulation, cell_errors, VectorTools::L2_norm);
  }


  void
  ErrorTable::add(const unsigned int n_elements, const unsigned int n_dofs, const double error)
  {
    for (const double number :
         {static_cast<double>(n_elements), static_cast<double>(n_dofs), error})
      numbers.push_back(number);
  }


  void
  ErrorTable::print(std::ostream              &stream,
                    const std::string         &quantity,
                    const unsigned int         dim,
                    const std::vector<double> &reference) const
  {
    const std::string name = "L2 error of " + quantity;
    ConvergenceTable  table;
    for (std::size_t i = 0; i < numbers.size(); i += row_size)
      {
        table.add_value("cycle", static_cast<unsigned int>(i / row_size));
        table.add_value("elements", static_cast<unsigned int>(numbers[i]));
        table.add_value("degrees of freedom", static_cast<unsigned int>(numbers[i + 1]));
        table.add_value(name, numbers[i + 2]);
        if (!reference.empty())
          table.add_value("reference",
                          i / row_size < reference.size() ? reference[i / row_size] : std::nan(""));
      }
    table.set_precision(name, 4);
    table.set_scientific(name, true);
    if (numbers.size() > row_size)
      table.evaluate_convergence_rates(name,
                                       "elements",
                                       ConvergenceTable::reduction_rate_log2,
                                       dim);
    if (!reference.empty())
      {
        table.set_precision("reference", 4);
        table.set_scientific("reference", true);
      }
    table.write_text(stream, TableHandler::org_mode_table);
  }


  template double
  l2_error(const Mapping<2> &,
           const DoFHandler<2> &,
           const dealii::Vector<double> &,
           const Expression &,
           const double);
  template double
  l2_error(const Mapping<3> &,
           const DoFHandler<3> &,
           const dealii::Vector<double> &,
           const Expression &,
           const double);
} // namespace Saltus
