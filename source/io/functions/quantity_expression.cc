// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>

#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/functions/quantity_expression.h>
#include <saltus/io/parameters/parameters.h>

#include <algorithm>
#include <cmath>
#include <muParser.h>

namespace Saltus
{
  namespace
  {
    /// deal.II's FunctionParser rounds conditions to integers, halves away from 0.
    bool
    is_true(const double condition)
    {
      return std::abs(condition) >= 0.5;
    }


    /// Functions that deal.II's FunctionParser adds to muParser's.
    void
    define_functions(mu::Parser &parser)
    {
      parser.DefineFun(
        "if", +[](double condition, double a, double b) {
          return mu::value_type(is_true(condition) ? a : b);
        });
      parser.DefineFun(
        "pow", +[](double a, double b) { return std::pow(a, b); });
      parser.DefineFun(
        "int", +[](double a) { return std::trunc(a + std::copysign(0.5, a)); });
      parser.DefineFun(
        "ceil", +[](double a) { return std::ceil(a); });
      parser.DefineFun(
        "floor", +[](double a) { return std::floor(a); });
      parser.DefineFun(
        "cot", +[](double a) { return 1. / std::tan(a); });
      parser.DefineFun(
        "csc", +[](double a) { return 1. / std::sin(a); });
      parser.DefineFun(
        "sec", +[](double a) { return 1. / std::cos(a); });
      parser.DefineFun(
        "log", +[](double a) { return std::log(a); });
      parser.DefineFun(
        "erfc", +[](double a) { return std::erfc(a); });
    }
  } // namespace


  /// muParser keeps the addresses of the variables.
  struct QuantityExpression::Parser
  {
    Parser(const unsigned int                   dim,
           const std::string                   &text,
           const std::vector<std::string>      &quantities,
           const std::map<std::string, double> &constants)
      : dim(dim)
      , text(text)
      , names(quantities)
      , constants(constants)
      , variables(dim + 1 + quantities.size(), 1.)
    {
      std::vector<std::string> all_names = coordinate_names(dim);
      all_names.emplace_back("t");
      all_names.insert(all_names.end(), names.begin(), names.end());
      for (std::size_t i = 0; i < all_names.size(); ++i)
        parser.DefineVar(all_names[i], &variables[i]);
      for (const auto &[name, value] : constants)
        if (std::find(all_names.begin(), all_names.end(), name) == all_names.end())
          parser.DefineConst(name, value);
      if (constants.count("pi") == 0)
        parser.DefineConst("pi", dealii::numbers::PI);
      define_functions(parser);
      parser.SetExpr(text);
    }

    const unsigned int                  dim;
    const std::string                   text;
    const std::vector<std::string>      names;
    const std::map<std::string, double> constants;
    std::vector<double>                 variables;
    mu::Parser                          parser;
  };


  QuantityExpression::QuantityExpression(const unsigned int                   dim,
                                         const std::string                   &text,
                                         const std::vector<std::string>      &quantities,
                                         const std::map<std::string, double> &constants,
                                         const std::string                   &entry)
  {
    parse_expressions(text, 1, dim, constants, quantities, entry);
    parser = std::make_unique<Parser>(dim, text, quantities, constants);
  }


  QuantityExpression::QuantityExpression(const QuantityExpression &other)
    : parser(std::make_unique<Parser>(other.parser->dim,
                                      other.parser->text,
                                      other.parser->names,
                                      other.parser->constants))
  {}


  QuantityExpression::~QuantityExpression() = default;


  const std::string &
  QuantityExpression::text() const
  {
    return parser->text;
  }


  bool
  QuantityExpression::depends_on_position_only() const
  {
    const std::vector<std::string> coordinates = coordinate_names(parser->dim);
    const auto                    &used        = parser->parser.GetUsedVar();
    return std::all_of(used.begin(), used.end(), [&](const auto &variable) {
      return std::find(coordinates.begin(), coordinates.end(), variable.first) != coordinates.end();
    });
  }


  double
  QuantityExpression::value(const double *point, const double time, const double *quantities)
  {
    double *variable = std::copy(point, point + parser->dim, parser->variables.data());
    *variable++      = time;
    std::copy(quantities, quantities + parser->names.size(), variable);
    return parser->parser.Eval();
  }
} // namespace Saltus
