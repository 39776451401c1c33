// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/convergence_table.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/fe/dg_element.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/files/print_table.h>
#include <saltus/io/results/error_table.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/mesh_shapes.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Integral over the mesh by a quadrature of degree 2p+4, on all threads and ranks.
    /// @param flags what is needed besides the quadrature points
    /// @param make_integrand called once a range of cells, so that each has a parsed function of
    /// its own. What it returns is called as `(fe_values, values)` and fills the values of the
    /// integrand at the quadrature points.
    template <int dim, typename MakeIntegrand>
    double
    integrate(const Mapping<dim>    &mapping,
              const DoFHandler<dim> &dof_handler,
              const UpdateFlags      flags,
              const MakeIntegrand   &make_integrand)
    {
      const auto            cells = cells_in_order(dof_handler);
      const MeshShapes<dim> shapes(dof_handler.get_triangulation());
      std::vector<double>   integrals(cells.size());
      parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
        const auto          of_shapes = shapes.for_each([&](const ReferenceCell &shape) {
          const auto &fe = element_on(dof_handler, shape);
          return std::make_unique<FEValues<dim>>(mapping,
                                                 fe,
                                                 cell_quadrature<dim>(shape, 2 * fe.degree + 4),
                                                 flags | update_quadrature_points |
                                                   update_JxW_values);
        });
        std::vector<double> values;
        const auto          integrand = make_integrand();
        for (std::size_t i = begin; i < end; ++i)
          {
            FEValues<dim> &fe_values = *of_shapes[shapes.number(cells[i])];
            values.resize(fe_values.n_quadrature_points);
            fe_values.reinit(cells[i]);
            integrand(fe_values, values);
            for (const unsigned int q : fe_values.quadrature_point_indices())
              integrals[i] += values[q] * fe_values.JxW(q);
          }
      });
      return Utilities::MPI::sum(std::accumulate(integrals.begin(), integrals.end(), 0.),
                                 dof_handler.get_communicator());
    }


    template <int dim>
    double
    volume(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler)
    {
      if (mapping_degree(mapping) > 1)
        return integrate(mapping, dof_handler, update_default, []() {
          return [](const auto & /*fe_values*/, auto &values) {
            std::fill(values.begin(), values.end(), 1.);
          };
        });
      double result = 0.;
      for (const auto &cell : cells_in_order(dof_handler))
        result += cell->measure();
      return Utilities::MPI::sum(result, dof_handler.get_communicator());
    }
  } // namespace


  template <int dim, typename VectorType>
  double
  l2_error(const Mapping<dim>    &mapping,
           const DoFHandler<dim> &dof_handler,
           const VectorType      &solution,
           const Expression      &exact,
           const double           time,
           const ErrorComponents  components)
  {
    // Of what a function makes of the difference.
    const auto integral = [&](const unsigned int component, const auto &of_difference) {
      const FEValuesExtractors::Scalar extractor(component);
      return integrate(mapping, dof_handler, update_values, [&]() {
        return [&,
                extractor,
                component,
                function = parsed_function<dim>(exact, time)](const auto &fe_values, auto &values) {
          fe_values[extractor].get_function_values(solution, values);
          for (const unsigned int q : fe_values.quadrature_point_indices())
            values[q] =
              of_difference(values[q] - function->value(fe_values.quadrature_point(q), component));
        };
      });
    };
    double result = 0.;
    for (unsigned int c = components.first; c < components.first + components.number; ++c)
      {
        double mean = 0.;
        if (components.up_to_constant)
          mean = integral(c, [](const double e) { return e; }) /
                 integral(c, [](const double) { return 1.; });
        result += integral(c, [mean](const double e) { return (e - mean) * (e - mean); });
      }
    return std::sqrt(result);
  }


  template <int dim, typename VectorType>
  double
  h1_seminorm_error(const Mapping<dim>    &mapping,
                    const DoFHandler<dim> &dof_handler,
                    const VectorType      &solution,
                    const Expression      &gradient)
  {
    return std::sqrt(integrate(mapping, dof_handler, update_gradients, [&]() {
      return [&, function = parsed_function<dim>(gradient)](const auto &fe_values, auto &values) {
        std::vector<Tensor<1, dim>> errors(values.size());
        fe_values.get_function_gradients(solution, errors);
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            for (unsigned int d = 0; d < dim; ++d)
              errors[q][d] -= function->value(fe_values.quadrature_point(q), d);
            values[q] = errors[q].norm_square();
          }
      };
    }));
  }


  template <int dim>
  double
  mean_value(const Mapping<dim>    &mapping,
             const DoFHandler<dim> &dof_handler,
             const Expression      &expression)
  {
    const auto make_integrand = [&]() {
      return [function = parsed_function<dim>(expression)](const auto &fe_values, auto &values) {
        function->value_list(fe_values.get_quadrature_points(), values);
      };
    };
    return integrate(mapping, dof_handler, update_default, make_integrand) /
           volume(mapping, dof_handler);
  }


  ErrorTable::ErrorTable(const std::vector<std::string> &norms)
    : norms(norms)
  {}


  void
  ErrorTable::add(const unsigned int         cycle,
                  const std::uint64_t        n_elements,
                  const std::uint64_t        n_dofs,
                  const std::vector<double> &errors)
  {
    AssertDimension(errors.size(), norms.size());
    numbers.push_back(cycle);
    numbers.push_back(n_elements);
    numbers.push_back(n_dofs);
    numbers.insert(numbers.end(), errors.begin(), errors.end());
  }


  namespace
  {
    /// \f$ d \log(e_0 / e_1) / \log(n_1 / n_0) \f$ from row to row beside a column with errors e;
    /// `-` where the numbers n, of elements or degrees of freedom, are the same.
    void
    add_rates(ConvergenceTable          &table,
              const std::string         &column,
              const std::vector<double> &errors,
              const std::vector<double> &sizes,
              const unsigned int         dim)
    {
      const std::string name = column + "...red.rate.log2";
      for (std::size_t row = 0; row < errors.size(); ++row)
        if (row == 0 || sizes[row] == sizes[row - 1])
          table.add_value(name, std::string("-"));
        else
          table.add_value(name,
                          dim * std::log(errors[row - 1] / errors[row]) /
                            std::log(sizes[row] / sizes[row - 1]));
      table.set_precision(name, 2);
      table.add_column_to_supercolumn(column, column);
      table.add_column_to_supercolumn(name, column);
    }
  } // namespace


  void
  ErrorTable::print(std::ostream                          &stream,
                    const unsigned int                     dim,
                    const std::map<std::uint64_t, double> &reference,
                    const RatesBy                          rates) const
  {
    const std::size_t row_size = 3 + norms.size(), n_rows = numbers.size() / row_size;
    const auto        entries = [&](const std::size_t column) {
      std::vector<double> result;
      for (std::size_t row = 0; row < n_rows; ++row)
        result.push_back(numbers[row * row_size + column]);
      return result;
    };
    const std::vector<double> n_elements = entries(1);
    const bool has_reference = std::any_of(n_elements.begin(), n_elements.end(), [&](const auto n) {
      return reference.count(n) > 0;
    });
    ConvergenceTable table;
    for (std::size_t row = 0; row < n_rows; ++row)
      {
        const double *number = numbers.data() + row * row_size;
        const auto    n      = static_cast<std::uint64_t>(number[1]);
        table.add_value("cycle", static_cast<unsigned int>(number[0]));
        table.add_value("elements", n);
        table.add_value("degrees of freedom", static_cast<std::uint64_t>(number[2]));
        for (std::size_t norm = 0; norm < norms.size(); ++norm)
          {
            table.add_value(norms[norm], number[3 + norm]);
            if (norm == 0 && has_reference)
              {
                if (const auto known = reference.find(n); known != reference.end())
                  table.add_value("reference", known->second);
                else
                  table.add_value("reference", std::string("-"));
              }
          }
      }
    std::vector<std::string> columns = norms;
    if (has_reference)
      columns.emplace_back("reference");
    for (const std::string &column : columns)
      {
        table.set_precision(column, 4);
        table.set_scientific(column, true);
      }
    if (n_rows > 1)
      for (std::size_t norm = 0; norm < norms.size(); ++norm)
        add_rates(table,
                  norms[norm],
                  entries(3 + norm),
                  rates == RatesBy::elements ? n_elements : entries(2),
                  dim);
    print_table(stream, table);
  }


  Json
  ErrorTable::json() const
  {
    std::vector<std::string> columns = {"cycle", "elements", "degrees of freedom"};
    columns.insert(columns.end(), norms.begin(), norms.end());
    std::vector<Json> rows;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      {
        if (i % columns.size() == 0)
          rows.emplace_back();
        const bool is_error = i % columns.size() >= 3;
        rows.back()[columns[i % columns.size()]] =
          is_error ? Json(numbers[i]) : Json(std::llround(numbers[i]));
      }
    return rows;
  }


#define SALTUS_INSTANTIATE_FOR(dim, VectorType)              \
  template double l2_error(const Mapping<dim> &,             \
                           const DoFHandler<dim> &,          \
                           const VectorType &,               \
                           const Expression &,               \
                           const double,                     \
                           const ErrorComponents);           \
  template double h1_seminorm_error(const Mapping<dim> &,    \
                                    const DoFHandler<dim> &, \
                                    const VectorType &,      \
                                    const Expression &);

#define SALTUS_INSTANTIATE(dim)                       \
  SALTUS_INSTANTIATE_FOR(dim, SolutionVector)         \
  SALTUS_INSTANTIATE_FOR(dim, dealii::Vector<double>) \
  template double mean_value(const Mapping<dim> &, const DoFHandler<dim> &, const Expression &);

  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
#undef SALTUS_INSTANTIATE_FOR
} // namespace Saltus
