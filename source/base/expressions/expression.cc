// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function_parser.h>
#include <deal.II/base/utilities.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/expression_mistakes.h>
#include <saltus/base/expressions/regular_expression.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Whether one of the @p names, as `x|y`, occurs in @p text.
    bool
    occurs(const std::string &names, const std::string &text)
    {
      return has_match(text, "(^|[^A-Za-z0-9_])(" + names + ")([^A-Za-z0-9_]|$)");
    }


    /// What stands on the standard error stream while this lives goes nowhere: deal.II prints there
    /// what its exception says, too.
    class SilentErrors
    {
    public:
      SilentErrors()
        : original(std::cerr.rdbuf(nullptr))
      {}

      ~SilentErrors()
      {
        std::cerr.rdbuf(original);
        std::cerr.clear();
      }

    private:
      std::streambuf *const original;
    };
  } // namespace


  Expression::Expression(const unsigned int                   dim,
                         const std::string                   &text,
                         const unsigned int                   n_components,
                         const std::map<std::string, double> &constants,
                         const std::string                   &name)
    : dim(dim)
    , expressions(text)
    , components(n_components)
    , time_dependent(occurs("t", text))
    , constant(!occurs("x|y|z|t", text))
    , named_constants(constants)
  {
    named_constants.emplace("pi", numbers::PI);
    const unsigned int given = std::count(text.begin(), text.end(), ';') + 1;
    AssertThrow(given == n_components,
                ExcMessage(name + ": '" + text + "' has " + std::to_string(given) +
                           " components, but " + std::to_string(n_components) +
                           " are expected, separated by ';'."));
    check_mistakes(text, name);
    values_at_origin = dim == 2 ? try_out<2>(name) : try_out<3>(name);
  }

  void
  Expression::check_dimension(const unsigned int expected) const
  {
    AssertThrow(dim == expected,
                ExcMessage("The expression '" + expressions + "' was made for " +
                           std::to_string(dim) + " dimensions and cannot be used in " +
                           std::to_string(expected) + "."));
  }

  template <int dimension>
  std::vector<double>
  Expression::try_out(const std::string &name) const
  {
    try
      {
        const SilentErrors        silence;
        FunctionParser<dimension> parser(components);
        parser.initialize(FunctionParser<dimension>::default_variable_names() + ",t",
                          expressions,
                          named_constants,
                          true);
        dealii::Vector<double> values(components);
        parser.vector_value(Point<dimension>(), values);
        return {values.begin(), values.end()};
      }
    catch (const ExceptionBase &exception)
      {
        std::ostringstream complaint;
        exception.print_info(complaint);
        // The parser's words without deal.II's around them
        const std::string said = "The parser said: ", text = complaint.str();
        const auto        start = text.find(said);
        AssertThrow(
          false,
          ExcMessage(name + ": cannot use the expression '" + expressions + "': " +
                     Utilities::trim(start == text.npos ? text : text.substr(start + said.size())) +
                     (occurs("and|or", expressions) ? " Conditions are joined by && and ||." : "") +
                     decimal_comma_hint(expressions)));
      }
    return {};
  }
} // namespace Saltus
