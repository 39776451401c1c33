// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/component_names.h>
#include <saltus/fe/dg_element.h>
#include <saltus/fe/reference_element.h>
#include <saltus/io/files/element_blocks.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/parameters/parameters.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  std::vector<std::string>
  Quantities::identifiers() const
  {
    std::vector<std::string> result = component_names(names);
    for (auto &name : result)
      std::replace_if(
        name.begin(), name.end(), [](const unsigned char c) { return !std::isalnum(c); }, '_');
    return result;
  }


  std::optional<unsigned int>
  Quantities::number(const std::string &name) const
  {
    const auto known = identifiers();
    const auto found = std::find(known.begin(), known.end(), name);
    return found == known.end() ? std::nullopt : std::optional<unsigned int>(found - known.begin());
  }


  unsigned int
  Quantities::find(const std::string &name, const std::string &wanted_by) const
  {
    const auto found = number(name);
    AssertThrow(found,
                ExcMessage(wanted_by + " needs the quantity '" + name +
                           "', which this equation does not have. " +
                           suggestion(name, identifiers())));
    return *found;
  }


  template <int dim>
  SolutionSpace<dim>::SolutionSpace(const Mapping<dim>                               &mapping,
                                    const DoFHandler<dim>                            &dof_handler,
                                    const Quantities                                 &quantities,
                                    const std::shared_ptr<const BoundaryScheme<dim>> &scheme)
    : mapping(mapping)
    , dof_handler(dof_handler)
    , quantities(quantities)
    , shapes(dof_handler.get_triangulation())
    , cells(cells_in_order(dof_handler))
    , numbers(cell_numbers(cells))
    , scheme(scheme)
  {
    AssertDimension(dof_handler.get_fe_collection().n_components(), quantities.n_components);
  }


  template <int dim>
  const FiniteElement<dim> &
  SolutionSpace<dim>::element(const ReferenceCell &shape) const
  {
    return element_on(dof_handler, shape);
  }


  template <int dim>
  ByShape<Quadrature<dim>>
  SolutionSpace<dim>::quadratures(const unsigned int degree) const
  {
    return shapes.for_each(
      [&](const ReferenceCell &shape) { return cell_quadrature<dim>(shape, degree); });
  }


  namespace
  {
    template <int dim>
    Table<2, double>
    values_of(const FiniteElement<dim> &fe, const std::vector<Point<dim>> &unit_points)
    {
      Table<2, double> values(fe.n_dofs_per_cell(), unit_points.size());
      for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
        for (unsigned int q = 0; q < unit_points.size(); ++q)
          values(i, q) = fe.shape_value(i, unit_points[q]);
      return values;
    }
  } // namespace


  template <int dim>
  ByShape<Table<2, double>>
  SolutionSpace<dim>::shape_values(const PointsByShape<dim> &unit_points) const
  {
    unsigned int i = 0;
    return shapes.for_each(
      [&](const ReferenceCell &shape) { return values_of(element(shape), unit_points[i++]); });
  }


  template <int dim>
  Table<2, double>
  SolutionSpace<dim>::shape_values(const Cell                    &cell,
                                   const std::vector<Point<dim>> &unit_points) const
  {
    return values_of(cell->get_fe(), unit_points);
  }


  template <int dim>
  std::vector<double>
  SolutionSpace<dim>::states(const Cell           &cell,
                             const Values         &values,
                             const SolutionVector &solution) const
  {
    const auto                          &fe = cell->get_fe();
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    cell->get_dof_indices(indices);
    const auto          begin    = solution.get_partitioner()->local_range().first;
    const unsigned int  n_points = values.size(1), n_components = quantities.n_components;
    std::vector<double> result(n_points * n_components);
    for (unsigned int i = 0; i < indices.size(); ++i)
      {
        const double       coefficient = solution.local_element(indices[i] - begin);
        const unsigned int component   = fe.system_to_component_index(i).first;
        for (unsigned int q = 0; q < n_points; ++q)
          result[q * n_components + component] += coefficient * values(i, q);
      }
    return result;
  }


  template <int dim>
  std::vector<double>
  SolutionSpace<dim>::evaluate(const Cell           &cell,
                               const Values         &values,
                               const SolutionVector &solution) const
  {
    const std::vector<double> of_cell  = states(cell, values, solution);
    const unsigned int        n_points = values.size(1);
    std::vector<double>       result(n_points * quantities.size());
    for (unsigned int q = 0; q < n_points; ++q)
      quantities.compute(&of_cell[q * quantities.n_components], &result[q * quantities.size()]);
    return result;
  }


  std::vector<std::string>
  coordinate_names(const unsigned int dim)
  {
    const std::vector<std::string> names = {"x", "y", "z"};
    return {names.begin(), names.begin() + dim};
  }


  std::string
  numbers_text(const std::vector<double> &numbers)
  {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    for (const double number : numbers)
      text << number << ' ';
    return text.str();
  }


  template struct SolutionSpace<2>;
  template struct SolutionSpace<3>;
} // namespace Saltus
