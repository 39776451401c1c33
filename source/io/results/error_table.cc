// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/convergence_table.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/expressions/batch_function.h>
#include <saltus/fe/dg_element.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/files/print_table.h>
#include <saltus/io/results/error_table.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/mesh_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The functions of an element at the points of a rule of degree 2p+4 in its reference cell.
    template <int dim>
    struct ShapeTables
    {
      ShapeTables(const FiniteElement<dim> &fe, const ReferenceCell &shape)
        : rule(cell_quadrature<dim>(shape, 2 * fe.degree + 4))
        , no_functions(shape)
      {
        const unsigned int n         = fe.n_dofs_per_cell();
        const unsigned int n_batches = (rule.size() + width - 1) / width;
        values.resize(n_batches * n * width, 0.);
        gradients.resize(dim * values.size(), 0.);
        for (unsigned int i = 0; i < n; ++i)
          {
            components.push_back(fe.system_to_component_index(i).first);
            for (unsigned int q = 0; q < rule.size(); ++q)
              {
                const auto place = [&](const unsigned int row) {
                  return ((row * n_batches + q / width) * n + i) * width + q % width;
                };
                values[place(0)] = fe.shape_value_component(i, rule.point(q), components[i]);
                for (unsigned int d = 0; d < dim; ++d)
                  gradients[place(d)] = fe.shape_grad_component(i, rule.point(q), components[i])[d];
              }
          }
      }

      static constexpr unsigned int width = 8; ///< of batches of points: compilers vectorize loops

      const Quadrature<dim>     rule;
      const FE_Nothing<dim>     no_functions;
      std::vector<unsigned int> components; ///< `[function]`
      std::vector<double>       values;     ///< `[batch][function][point in batch]`
      std::vector<double>       gradients;  ///< the same `[d]`, in the reference cell
    };


    /// A solution and expressions at the points of a rule, in one cell of a shape after the other.
    template <int dim>
    class CellPoints
    {
    public:
      CellPoints(const Mapping<dim>     &mapping,
                 const ShapeTables<dim> &tables,
                 const BatchFunction    &function,
                 const bool              has_gradients)
        : weights(tables.rule.size())
        , mapping(mapping)
        , tables(tables)
        , function(function)
        , coordinates(dim * weights.size())
        , inverse_jacobians(weights.size())
        , coefficients(tables.components.size())
        , values(tables.values.size() / coefficients.size())
        , gradients(dim * values.size())
      {
        if (!tables.no_functions.reference_cell().is_simplex() || mapping_degree(mapping) > 1)
          mapped = std::make_unique<FEValues<dim>>(mapping,
                                                   tables.no_functions,
                                                   tables.rule,
                                                   update_quadrature_points | update_JxW_values |
                                                     (has_gradients ? update_inverse_jacobians
                                                                    : update_default));
      }

      void
      reinit(const typename Triangulation<dim>::cell_iterator &cell, const double time)
      {
        if (mapped)
          {
            mapped->reinit(cell);
            for (unsigned int q = 0; q < weights.size(); ++q)
              set(q, mapped->quadrature_point(q), mapped->JxW(q));
            if (mapped->get_update_flags() & update_inverse_jacobians)
              for (unsigned int q = 0; q < weights.size(); ++q)
                inverse_jacobians[q] = Tensor<2, dim>(mapped->inverse_jacobian(q));
          }
        else
          {
            const auto     vertices = mapping.get_vertices(cell);
            Tensor<2, dim> jacobian;
            for (unsigned int d = 0; d < dim; ++d)
              for (unsigned int e = 0; e < dim; ++e)
                jacobian[d][e] = vertices[e + 1][d] - vertices[0][d];
            const double scale = determinant(jacobian);
            for (unsigned int q = 0; q < weights.size(); ++q)
              set(q, vertices[0] + jacobian * tables.rule.point(q), scale * tables.rule.weight(q));
            std::fill(inverse_jacobians.begin(), inverse_jacobians.end(), invert(jacobian));
          }
        function.evaluate(weights.size(), coordinates.data(), time);
      }

      template <typename VectorType>
      void
      read(const typename DoFHandler<dim>::active_cell_iterator &cell, const VectorType &solution)
      {
        cell->get_dof_values(solution, coefficients);
      }

      /// `[q]`: of a component of the expressions.
      const double *
      expression(const unsigned int component) const
      {
        return function.values(component);
      }

      /// `[q]`: a component of the solution minus one of the expressions.
      const std::vector<double> &
      differences(const unsigned int of_solution, const unsigned int of_expressions)
      {
        sum(values, tables.values, of_solution);
        for (std::size_t q = 0; q < weights.size(); ++q)
          values[q] -= expression(of_expressions)[q];
        return values;
      }

      /// `[q]`: norms of the gradient of the first component minus expressions from number
      /// @p first on, squared.
      const std::vector<double> &
      squared_gradient_differences(const unsigned int first)
      {
        sum(gradients, tables.gradients, 0);
        std::fill(values.begin(), values.end(), 0.);
        for (unsigned int d = 0; d < dim; ++d)
          for (std::size_t q = 0; q < weights.size(); ++q)
            {
              double difference = -expression(first + d)[q];
              for (unsigned int e = 0; e < dim; ++e)
                difference += inverse_jacobians[q][e][d] * gradients[e * values.size() + q];
              values[q] += difference * difference;
            }
        return values;
      }

      std::vector<double> weights; ///< `[q]`

    private:
      void
      set(const unsigned int q, const Point<dim> &point, const double weight)
      {
        for (unsigned int d = 0; d < dim; ++d)
          coordinates[d * weights.size() + q] = point[d];
        weights[q] = weight;
      }

      /// A table of ShapeTables times the coefficients of a component.
      void
      sum(std::vector<double>       &result,
          const std::vector<double> &table,
          const unsigned int         component) const
      {
        constexpr unsigned int width = ShapeTables<dim>::width;
        const double          *entry = table.data();
        for (std::size_t first = 0; first < result.size(); first += width)
          {
            std::array<double, width> sums{};
            for (unsigned int i = 0; i < tables.components.size(); ++i, entry += width)
              if (tables.components[i] == component)
                for (unsigned int q = 0; q < width; ++q)
                  sums[q] += coefficients(i) * entry[q];
            std::copy(sums.begin(), sums.end(), result.begin() + first);
          }
      }

      const Mapping<dim>            &mapping;
      const ShapeTables<dim>        &tables;
      std::unique_ptr<FEValues<dim>> mapped; ///< unless cells are affine
      BatchFunction                  function;
      std::vector<double>            coordinates;       ///< `[d][q]`
      std::vector<Tensor<2, dim>>    inverse_jacobians; ///< `[q]`
      dealii::Vector<double>         coefficients;      ///< `[function]`
      std::vector<double>            values;            ///< `[q]`, of whole batches
      std::vector<double>            gradients;         ///< `[d][q]`
    };


    /// Integrals over the mesh, on all threads and ranks.
    /// @param has_gradients whether gradients of the solution are needed
    /// @param add is called as `(points, cell, integrals)` for each cell and adds its parts of
    /// @p n_integrals
    template <int dim, typename Add>
    std::vector<double>
    integrate(const Mapping<dim>    &mapping,
              const DoFHandler<dim> &dof_handler,
              const BatchFunction   &function,
              const double           time,
              const bool             has_gradients,
              const unsigned int     n_integrals,
              const Add             &add)
    {
      const auto            cells = cells_in_order(dof_handler);
      const MeshShapes<dim> shapes(dof_handler.get_triangulation());
      const auto            tables = shapes.for_each([&](const ReferenceCell &shape) {
        return std::make_unique<const ShapeTables<dim>>(element_on(dof_handler, shape), shape);
      });
      std::vector<double>   of_cells(cells.size() * n_integrals);
      parallel_for(cells.size(), [&](const std::size_t begin, const std::size_t end) {
        ByShape<CellPoints<dim>> of_shapes;
        for (const auto &of_shape : tables)
          of_shapes.emplace_back(mapping, *of_shape, function, has_gradients);
        for (std::size_t i = begin; i < end; ++i)
          {
            CellPoints<dim> &points = of_shapes[shapes.number(cells[i])];
            points.reinit(cells[i], time);
            add(points, cells[i], of_cells.data() + i * n_integrals);
          }
      });
      std::vector<double> integrals(n_integrals);
      for (std::size_t i = 0; i < of_cells.size(); ++i)
        integrals[i % n_integrals] += of_cells[i];
      Utilities::MPI::sum(integrals, dof_handler.get_communicator(), integrals);
      return integrals;
    }


    /// Squares of the errors in some components together and, if one is given, of that in the
    /// gradient of the first.
    template <int dim, typename VectorType>
    std::vector<double>
    squared_errors(const Mapping<dim>    &mapping,
                   const DoFHandler<dim> &dof_handler,
                   const VectorType      &solution,
                   const Expression      &exact,
                   const double           time,
                   const ErrorComponents  components,
                   const Expression      *gradient)
    {
      const unsigned int n = components.number;
      BatchFunction      function;
      function.add(exact, components.first, n);
      if (gradient != nullptr)
        function.add(*gradient, 0, dim);
      std::vector<double> means(n + 1, 0.);
      if (components.up_to_constant)
        {
          means = integrate(mapping,
                            dof_handler,
                            function,
                            time,
                            false,
                            n + 1,
                            [&](auto &points, const auto &cell, double *integrals) {
                              points.read(cell, solution);
                              for (unsigned int c = 0; c < n; ++c)
                                {
                                  const auto &differences =
                                    points.differences(components.first + c, c);
                                  for (std::size_t q = 0; q < points.weights.size(); ++q)
                                    integrals[c] += differences[q] * points.weights[q];
                                }
                              integrals[n] =
                                std::accumulate(points.weights.begin(), points.weights.end(), 0.);
                            });
          for (unsigned int c = 0; c < n; ++c)
            means[c] /= means[n];
        }
      return integrate(mapping,
                       dof_handler,
                       function,
                       time,
                       gradient != nullptr,
                       gradient != nullptr ? 2 : 1,
                       [&](auto &points, const auto &cell, double *integrals) {
                         points.read(cell, solution);
                         for (unsigned int c = 0; c < n; ++c)
                           {
                             const auto &differences = points.differences(components.first + c, c);
                             for (std::size_t q = 0; q < points.weights.size(); ++q)
                               integrals[0] +=
                                 std::pow(differences[q] - means[c], 2) * points.weights[q];
                           }
                         if (gradient != nullptr)
                           {
                             const auto &squares = points.squared_gradient_differences(n);
                             integrals[1]        = std::inner_product(points.weights.begin(),
                                                               points.weights.end(),
                                                               squares.begin(),
                                                               0.);
                           }
                       });
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
    return std::sqrt(
      squared_errors(mapping, dof_handler, solution, exact, time, components, nullptr)[0]);
  }


  template <int dim, typename VectorType>
  std::vector<double>
  scalar_errors(const Mapping<dim>    &mapping,
                const DoFHandler<dim> &dof_handler,
                const VectorType      &solution,
                const Expression      &exact,
                const Expression      *gradient)
  {
    std::vector<double> errors =
      squared_errors(mapping, dof_handler, solution, exact, 0., {}, gradient);
    for (double &error : errors)
      error = std::sqrt(error);
    return errors;
  }


  template <int dim>
  double
  mean_value(const Mapping<dim>    &mapping,
             const DoFHandler<dim> &dof_handler,
             const Expression      &expression)
  {
    BatchFunction function;
    function.add(expression, 0, 1);
    const auto integrals =
      integrate(mapping,
                dof_handler,
                function,
                0.,
                false,
                2,
                [](auto &points, const auto & /*cell*/, double *integrals) {
                  const auto &weights = points.weights;
                  integrals[0] =
                    std::inner_product(weights.begin(), weights.end(), points.expression(0), 0.);
                  integrals[1] = std::accumulate(weights.begin(), weights.end(), 0.);
                });
    return integrals[0] / integrals[1];
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


#define SALTUS_INSTANTIATE_FOR(dim, VectorType)                       \
  template double              l2_error(const Mapping<dim> &,         \
                                        const DoFHandler<dim> &,      \
                                        const VectorType &,           \
                                        const Expression &,           \
                                        const double,                 \
                                        const ErrorComponents);       \
  template std::vector<double> scalar_errors(const Mapping<dim> &,    \
                                             const DoFHandler<dim> &, \
                                             const VectorType &,      \
                                             const Expression &,      \
                                             const Expression *);

#define SALTUS_INSTANTIATE(dim)                       \
  SALTUS_INSTANTIATE_FOR(dim, SolutionVector)         \
  SALTUS_INSTANTIATE_FOR(dim, dealii::Vector<double>) \
  template double mean_value(const Mapping<dim> &, const DoFHandler<dim> &, const Expression &);

  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
#undef SALTUS_INSTANTIATE_FOR
} // namespace Saltus
