// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/parsed_function.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::vector<double>
    value_at_origin(const Expression &expression)
    {
      dealii::Vector<double> values(expression.n_components());
      parsed_function<dim>(expression)->vector_value(Point<dim>(), values);
      return {values.begin(), values.end()};
    }
  } // namespace


  Expression::Expression(const unsigned int                   dim,
                         const std::string                   &text,
                         const unsigned int                   n_components,
                         const std::map<std::string, double> &constants,
                         const std::string                   &name)
    : dim(dim)
    , expressions(Utilities::replace_in_string(Utilities::replace_in_string(text, "||", " || "),
                                               "&&",
                                               " && ")) // as muParser needs it
    , components(n_components)
    , time_dependent(false)
    , constant(true)
    , named_constants(constants)
  {
    named_constants.emplace("pi", numbers::PI);
    for (const auto &component : parse_expressions(text, n_components, dim, constants, {}, name))
      for (const std::string variable : {"x", "y", "z", "t"})
        if (component.names.count(variable) > 0)
          {
            constant       = false;
            time_dependent = time_dependent || variable == "t";
          }
    values_at_origin = dim == 2 ? value_at_origin<2>(*this) : value_at_origin<3>(*this);
  }

  void
  Expression::check_dimension(const unsigned int expected) const
  {
    AssertThrow(dim == expected,
                ExcMessage("The expression '" + expressions + "' was made for " +
                           std::to_string(dim) + " dimensions and cannot be used in " +
                           std::to_string(expected) + "."));
  }
} // namespace Saltus
