// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_expression_grammar_h
#define saltus_base_expressions_expression_grammar_h

#include <saltus/base/device/kernel_source.h>
#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/expression_steps.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace Saltus
{
  /// An expression that the grammar accepts.
  struct ParsedExpression
  {
    /// The expression in C, in `double` variables, with the functions of `<math.h>` and
    /// translated_functions.
    std::string           c;
    std::set<std::string> names; ///< of the variables and constants that occur in it
    int                   step;  ///< that computes it
  };

  /// The grammar of all expressions, a subset of dealii::FunctionParser's with the same meaning.
  /// Each expression passes it before it reaches muParser or NVRTC.
  /// @param text one expression for each component, separated by `;`
  /// @param dim 2 or 3: number of coordinates
  /// @param constants names and values; t and pi are always known
  /// @param quantities further variables, which hide constants of the same name
  /// @param entry path of the parameter, for messages
  /// @param steps receives the steps that compute the expressions
  /// @throws dealii::ExcMessage that names the entry, the text, the mistake and the accepted
  /// syntax. Mistakes are other numbers of components or of arguments, unknown names, decimal
  /// commas, a single `=`, more than 5,000 characters, and more than 500 nested operations.
  std::vector<ParsedExpression>
  parse_expressions(const std::string                   &text,
                    const unsigned int                   n_components,
                    const unsigned int                   dim,
                    const std::map<std::string, double> &constants,
                    const std::vector<std::string>      &quantities,
                    const std::string                   &entry,
                    ExpressionSteps                     *steps = nullptr);

  /// The components in C (see ParsedExpression::c).
  std::vector<std::string>
  in_c(const Expression &expression);

  /// Whether expressions use @p name for a coordinate, the time, pi or a function.
  bool
  is_reserved_name(const std::string &name);

  /// A remark for messages about @p text, if a comma stands between two digits there; else empty.
  std::string
  decimal_comma_hint(const std::string &text);

  /// C source of functions, each of which begins with the macro FUNCTION.
  extern const char *const translated_functions;

  /// The program that writes the values `[point][component]` at points `[point][d]`. Its arguments
  /// are the number of points, the points, the addresses of time and step size, a fraction f and
  /// the values. The time of the values is \f$ t + f \Delta t \f$.
  /// @param number type of the values, `double` or `float`
  KernelSource
  point_program(const Expression &expression, const std::string &number);
} // namespace Saltus

#endif
