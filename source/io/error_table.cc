// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/convergence_table.h>
#include <deal.II/numerics/vector_tools.h>

#include <saltus/fe/reference_element.h>
#include <saltus/io/error_table.h>
#include <saltus/io/parsed_function.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// A scalar function of which only the gradient is asked for.
    template <int dim>
    class GivenGradient : public Function<dim>
    {
    public:
      explicit GivenGradient(const Expression &gradient)
        : components(parsed_function<dim>(gradient))
      {}

      Tensor<1, dim>
      gradient(const Point<dim> &point, const unsigned int) const override
      {
        Tensor<1, dim> result;
        for (unsigned int d = 0; d < dim; ++d)
          result[d] = components->value(point, d);
        return result;
      }

    private:
      std::unique_ptr<FunctionParser<dim>> components;
    };


    /// What VectorTools::integrate_difference() gives in each cell.
    template <int dim>
    dealii::Vector<double>
    cell_errors(const Mapping<dim>           &mapping,
                const DoFHandler<dim>        &dof_handler,
                const dealii::Vector<double> &solution,
                const Function<dim>          &exact,
                const VectorTools::NormType   norm)
    {
      const unsigned int                 degree = dof_handler.get_fe().degree;
      const ComponentSelectFunction<dim> first(0, exact.n_components);
      dealii::Vector<double>             errors(dof_handler.get_triangulation().n_active_cells());
      VectorTools::integrate_difference(mapping,
                                        dof_handler,
                                        solution,
                                        exact,
                                        errors,
                                        simplex_quadrature<dim>(2 * degree + 4),
                                        norm,
                                        &first);
      return errors;
    }


    template <int dim>
    double
    error(const Mapping<dim>           &mapping,
          const DoFHandler<dim>        &dof_handler,
          const dealii::Vector<double> &solution,
          const Function<dim>          &exact,
          const VectorTools::NormType   norm)
    {
      return VectorTools::compute_global_error(
        dof_handler.get_triangulation(),
        cell_errors(mapping, dof_handler, solution, exact, norm),
        norm);
    }
  } // namespace


  template <int dim>
  double
  l2_error(const Mapping<dim>           &mapping,
           const DoFHandler<dim>        &dof_handler,
           const dealii::Vector<double> &solution,
           const Expression             &exact,
           const double                  time)
  {
    return error(
      mapping, dof_handler, solution, *parsed_function<dim>(exact, time), VectorTools::L2_norm);
  }


  template <int dim>
  double
  h1_seminorm_error(const Mapping<dim>           &mapping,
                    const DoFHandler<dim>        &dof_handler,
                    const dealii::Vector<double> &solution,
                    const Expression             &gradient)
  {
    return error(
      mapping, dof_handler, solution, GivenGradient<dim>(gradient), VectorTools::H1_seminorm);
  }


  template <int dim>
  double
  mean_value(const Mapping<dim>    &mapping,
             const DoFHandler<dim> &dof_handler,
             const Expression      &function)
  {
    // The integral of the difference to 0.
    const dealii::Vector<double> integrals =
      cell_errors(mapping,
                  dof_handler,
                  dealii::Vector<double>(dof_handler.n_dofs()),
                  *parsed_function<dim>(function),
                  VectorTools::mean);
    double integral = 0., volume = 0.;
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        integral += integrals(cell->active_cell_index());
        volume += cell->measure();
      }
    return integral / volume;
  }


  ErrorTable::ErrorTable(const std::vector<std::string> &norms)
    : norms(norms)
  {}


  void
  ErrorTable::add(const unsigned int         n_elements,
                  const unsigned int         n_dofs,
                  const std::vector<double> &errors)
  {
    AssertDimension(errors.size(), norms.size());
    numbers.push_back(n_elements);
    numbers.push_back(n_dofs);
    numbers.insert(numbers.end(), errors.begin(), errors.end());
  }


  void
  ErrorTable::print(std::ostream              &stream,
                    const unsigned int         dim,
                    const std::vector<double> &reference) const
  {
    const std::size_t row_size = 2 + norms.size(), n_rows = numbers.size() / row_size;
    ConvergenceTable  table;
    for (std::size_t row = 0; row < n_rows; ++row)
      {
        const double *number = numbers.data() + row * row_size;
        table.add_value("cycle", static_cast<unsigned int>(row));
        table.add_value("elements", static_cast<unsigned int>(number[0]));
        table.add_value("degrees of freedom", static_cast<unsigned int>(number[1]));
        for (std::size_t norm = 0; norm < norms.size(); ++norm)
          {
            table.add_value(norms[norm], number[2 + norm]);
            if (norm == 0 && !reference.empty())
              table.add_value("reference", row < reference.size() ? reference[row] : std::nan(""));
          }
      }
    std::vector<std::string> columns = norms;
    if (!reference.empty())
      columns.emplace_back("reference");
    for (const std::string &column : columns)
      {
        table.set_precision(column, 4);
        table.set_scientific(column, true);
      }
    if (n_rows > 1)
      for (const std::string &norm : norms)
        table.evaluate_convergence_rates(norm,
                                         "elements",
                                         ConvergenceTable::reduction_rate_log2,
                                         dim);
    table.write_text(stream, TableHandler::org_mode_table);
  }


#define SALTUS_INSTANTIATE(dim)                                     \
  template double l2_error(const Mapping<dim> &,                    \
                           const DoFHandler<dim> &,                 \
                           const dealii::Vector<double> &,          \
                           const Expression &,                      \
                           const double);                           \
  template double h1_seminorm_error(const Mapping<dim> &,           \
                                    const DoFHandler<dim> &,        \
                                    const dealii::Vector<double> &, \
                                    const Expression &);            \
  template double mean_value(const Mapping<dim> &, const DoFHandler<dim> &, const Expression &);

  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
