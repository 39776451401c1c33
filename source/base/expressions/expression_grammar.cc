// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>

#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/regular_expression.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <utility>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    std::string
    literal(const double value)
    {
      std::ostringstream text;
      text << std::setprecision(17) << std::scientific << value;
      return value < 0 ? "(" + text.str() + ")" : text.str();
    }

    /// Binary operators with muParser's precedences, from the loosest to the tightest. A pattern's
    /// %1 and %2 are the operands.
    struct BinaryOperator
    {
      const char *symbol;
      int         precedence;
      const char *pattern;
    };

    constexpr BinaryOperator binary_operators[] = {
      // Symbols that begin like another come first.
      {"||", 1, "((%1 != 0.) || (%2 != 0.) ? 1. : 0.)"},
      {"&&", 2, "((%1 != 0.) && (%2 != 0.) ? 1. : 0.)"},
      {"<=", 4, "(%1 <= %2 ? 1. : 0.)"},
      {">=", 4, "(%1 >= %2 ? 1. : 0.)"},
      {"!=", 4, "(%1 != %2 ? 1. : 0.)"},
      {"==", 4, "(%1 == %2 ? 1. : 0.)"},
      {"<", 4, "(%1 < %2 ? 1. : 0.)"},
      {">", 4, "(%1 > %2 ? 1. : 0.)"},
      {"+", 5, "(%1 + %2)"},
      {"-", 5, "(%1 - %2)"},
      {"*", 6, "(%1 * %2)"},
      {"/", 6, "(%1 / %2)"},
      {"^", 7, "pow(%1, %2)"}};

    constexpr int sign_precedence = 6, power_precedence = 7;

    /// Functions by name: the number of arguments, and the text in C. Each argument occurs once:
    /// the text of nested functions would grow without bound. Two arguments of `min` and `max` are
    /// the fewest.
    const std::map<std::string, std::pair<unsigned int, const char *>> functions = {
      {"sin", {1, "sin(%1)"}},         {"cos", {1, "cos(%1)"}},
      {"tan", {1, "tan(%1)"}},         {"asin", {1, "asin(%1)"}},
      {"acos", {1, "acos(%1)"}},       {"atan", {1, "atan(%1)"}},
      {"sinh", {1, "sinh(%1)"}},       {"cosh", {1, "cosh(%1)"}},
      {"tanh", {1, "tanh(%1)"}},       {"asinh", {1, "asinh(%1)"}},
      {"acosh", {1, "acosh(%1)"}},     {"atanh", {1, "atanh(%1)"}},
      {"log2", {1, "log2(%1)"}},       {"log10", {1, "log10(%1)"}},
      {"log", {1, "log(%1)"}},         {"ln", {1, "log(%1)"}},
      {"exp", {1, "exp(%1)"}},         {"sqrt", {1, "sqrt(%1)"}},
      {"abs", {1, "fabs(%1)"}},        {"int", {1, "nearest(%1)"}},
      {"ceil", {1, "ceil(%1)"}},       {"floor", {1, "floor(%1)"}},
      {"erfc", {1, "erfc(%1)"}},       {"cot", {1, "(1. / tan(%1))"}},
      {"csc", {1, "(1. / sin(%1))"}},  {"sec", {1, "(1. / cos(%1))"}},
      {"sign", {1, "sign(%1)"}},       {"pow", {2, "pow(%1, %2)"}},
      {"atan2", {2, "atan2(%1, %2)"}}, {"min", {2, "fmin(%1, %2)"}},
      {"max", {2, "fmax(%1, %2)"}},    {"if", {3, "(fabs(%1) >= .5 ? %2 : %3)"}}};

    bool
    takes_any_number(const std::string &function)
    {
      return function == "min" || function == "max";
    }

    /// Replace %1, %2, ... by @p arguments.
    std::string
    substitute(const std::string &pattern, const std::vector<std::string> &arguments)
    {
      std::string result;
      for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] == '%')
          result += arguments[pattern[++i] - '1'];
        else
          result += pattern[i];
      return result;
    }

    /// The keys of @p map as a list.
    template <typename Map>
    std::string
    list_of(const Map &map)
    {
      std::string list;
      for (const auto &item : map)
        list += (list.empty() ? "" : ", ") + item.first;
      return list;
    }

    bool
    is_digit(const char c)
    {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    }

    bool
    is_word(const char c)
    {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }

    /// Recursive descent, operators by precedence climbing.
    class Grammar
    {
    public:
      Grammar(const std::string                        &text,
              const std::map<std::string, std::string> &names,
              const std::string                        &cannot_use)
        : text(text)
        , names(names)
        , cannot_use(cannot_use)
      {}

      ParsedExpression
      run()
      {
        result.c = conditional();
        skip_space();
        check(position == text.size(), mistake_here());
        return result;
      }

    private:
      void
      check(const bool is_right, const std::string &complaint) const
      {
        AssertThrow(is_right, ExcMessage(cannot_use + complaint));
      }

      void
      go_deeper()
      {
        constexpr unsigned int deepest = 500;
        check(++depth <= deepest, "It nests more than " + std::to_string(deepest) + " operations.");
      }

      char
      at(const std::size_t i) const
      {
        return i < text.size() ? text[i] : '\0';
      }

      /// The mistake at a position where the expression should go on or end.
      std::string
      mistake_here() const
      {
        const std::string rest = text.substr(position, 30);
        if (rest.empty())
          return "An operand is missing at its end.";
        if (rest[0] == ',')
          return "The comma after '" + text.substr(0, position) +
                 "' separates no arguments of a function. Decimals are written with a point, 0.5, "
                 "and components are separated by ';'.";
        if (rest[0] == '=')
          return "The = after '" + text.substr(0, position) +
                 "' is no comparison. Comparisons are <, <=, >, >=, == and !=.";
        return "'" + rest + "' is not understood." +
               (has_match(rest, "^(and|or|not)[^A-Za-z0-9_]|^[&|!]")
                  ? " Conditions are joined by && and ||."
                  : "");
      }

      void
      skip_space()
      {
        while (std::isspace(static_cast<unsigned char>(at(position))) != 0)
          ++position;
      }

      bool
      take(const std::string &symbol)
      {
        skip_space();
        if (text.compare(position, symbol.size(), symbol) != 0)
          return false;
        position += symbol.size();
        return true;
      }

      void
      expect(const std::string &symbol)
      {
        if (take(symbol))
          return;
        check(position == text.size(), mistake_here());
        check(false, "'" + symbol + "' is missing at its end.");
      }

      /// `a ? b : c`, looser than all operators and right-associative.
      std::string
      conditional()
      {
        go_deeper();
        std::string c = operation(1);
        if (take("?"))
          {
            const std::string yes = conditional();
            expect(":");
            c = substitute("(%1 != 0. ? %2 : %3)", {c, yes, conditional()});
          }
        --depth;
        return c;
      }

      /// Operators of at least @p precedence.
      std::string
      operation(const int precedence)
      {
        go_deeper();
        std::string left = signed_operand();
        while (const BinaryOperator *op = next_operator(precedence))
          {
            // The power is right-associative, the others are left-associative.
            const bool right = op->precedence == power_precedence;
            left = substitute(op->pattern, {left, operation(op->precedence + (right ? 0 : 1))});
          }
        --depth;
        return left;
      }

      const BinaryOperator *
      next_operator(const int precedence)
      {
        for (const BinaryOperator &op : binary_operators)
          if (const std::size_t before = position; take(op.symbol))
            {
              if (op.precedence >= precedence)
                return &op;
              position = before;
              return nullptr;
            }
        return nullptr;
      }

      /// A sign binds tighter than a sum, but looser than a power. No sign follows another.
      std::string
      signed_operand()
      {
        const bool is_minus = take("-");
        if (!is_minus && !take("+"))
          return operand();
        skip_space();
        check(at(position) != '-' && at(position) != '+', mistake_here());
        const std::string c = operation(sign_precedence + 1);
        return is_minus ? "(-" + c + ")" : c;
      }

      std::string
      operand()
      {
        if (take("("))
          {
            const std::string inside = conditional();
            expect(")");
            return inside;
          }
        const char c = at(position);
        return is_digit(c) || c == '.' ? number() : name();
      }

      std::string
      number()
      {
        // Not strtod() alone: it would take hexadecimal digits.
        const std::size_t begin = position;
        std::size_t last = std::min(text.find_first_not_of("0123456789.", begin), text.size());
        if (at(last) == 'e' || at(last) == 'E')
          {
            const std::size_t exponent =
              last + (at(last + 1) == '+' || at(last + 1) == '-' ? 2 : 1);
            if (is_digit(at(exponent)))
              last = std::min(text.find_first_not_of("0123456789", exponent), text.size());
          }
        const std::string digits = text.substr(begin, last - begin);
        char             *end    = nullptr;
        const double      value  = std::strtod(digits.c_str(), &end);
        check(*end == '\0' && end != digits.c_str() && std::isfinite(value) && !is_word(at(last)),
              "'" + text.substr(begin, 30) + "' begins with no number.");
        position       = last;
        end_of_integer = digits.find_first_not_of("0123456789") == digits.npos ? last : 0;
        return literal(value);
      }

      std::string
      name()
      {
        const std::size_t end =
          std::find_if_not(text.begin() + position, text.end(), is_word) - text.begin();
        const std::string word = text.substr(position, end - position);
        check(!word.empty(), mistake_here());
        position = end;
        if (take("("))
          return call(word);
        check(functions.count(word) == 0,
              "The arguments of the function '" + word + "' stand in parentheses.");
        const auto found = names.find(word);
        check(found != names.end(),
              "'" + word + "' is no known name. Names are " + list_of(names) + ".");
        result.names.insert(word);
        return found->second;
      }

      std::string
      call(const std::string &function)
      {
        const auto found = functions.find(function);
        check(found != functions.end(),
              "'" + function + "' is no function. Functions are " + list_of(functions) + ".");
        const auto [n, pattern]             = found->second;
        const bool               any_number = takes_any_number(function);
        std::vector<std::string> arguments;
        if (!take(")"))
          {
            do
              {
                arguments.push_back(conditional());
                // Another argument would pass without complaint.
                check(!any_number || end_of_integer != position || at(position) != ',' ||
                        !is_digit(at(position + 1)),
                      mistake_here() + " Arguments are separated by a comma and a blank.");
              }
            while (take(","));
            expect(")");
          }
        check(
          arguments.size() == n || (any_number && arguments.size() > n),
          "The function '" + function + "' takes " + std::to_string(n) +
            (any_number ? " or more" : "") + (n == 1 ? " argument, not " : " arguments, not ") +
            std::to_string(arguments.size()) + "." +
            (any_number
               ? " It compares numbers at the same point; Evaluation/Extrema writes the extrema "
                 "of a solution."
               : decimal_comma_hint(text)));
        std::string c = substitute(pattern, arguments);
        for (std::size_t i = n; i < arguments.size(); ++i)
          c = substitute(pattern, {c, arguments[i]});
        return c;
      }

      const std::string                        &text;
      const std::map<std::string, std::string> &names;
      const std::string                        &cannot_use; ///< begins all messages
      ParsedExpression                          result;
      std::size_t                               position = 0, end_of_integer = 0;
      unsigned int                              depth = 0;
    };
  } // namespace


  std::vector<ParsedExpression>
  parse_expressions(const std::string                   &text,
                    const unsigned int                   n_components,
                    const unsigned int                   dim,
                    const std::map<std::string, double> &constants,
                    const std::vector<std::string>      &quantities,
                    const std::string                   &entry)
  {
    constexpr std::size_t longest = 5000;
    AssertThrow(text.size() <= longest,
                ExcMessage(entry + ": the expression that begins with '" + text.substr(0, 60) +
                           "' has " + std::to_string(text.size()) + " characters. At most " +
                           std::to_string(longest) + " can be read."));
    const unsigned int given = std::count(text.begin(), text.end(), ';') + 1;
    AssertThrow(given == n_components,
                ExcMessage(entry + ": '" + text + "' has " + std::to_string(given) +
                           " components, but " + std::to_string(n_components) +
                           " are expected, separated by ';'."));

    std::map<std::string, std::string> names = {{"x", "x"}, {"y", "y"}, {"t", "t"}};
    if (dim == 3)
      names.emplace("z", "z");
    for (const std::string &quantity : quantities)
      names.emplace(quantity, quantity);
    for (const auto &[name, value] : constants)
      names.emplace(name, literal(value));
    names.emplace("pi", literal(dealii::numbers::PI));

    const std::string cannot_use = entry + ": cannot use the expression '" + text + "'. ";
    std::vector<ParsedExpression> result;
    std::istringstream            components(text + ';');
    for (std::string component; std::getline(components, component, ';');)
      result.push_back(Grammar(component, names, cannot_use).run());
    return result;
  }


  std::vector<std::string>
  in_c(const Expression &expression)
  {
    std::vector<std::string> result;
    for (const auto &component : parse_expressions(expression.text(),
                                                   expression.n_components(),
                                                   expression.dimension(),
                                                   expression.constants(),
                                                   {},
                                                   "expression"))
      result.push_back(component.c);
    return result;
  }


  bool
  is_reserved_name(const std::string &name)
  {
    static const std::set<std::string> variables = {"x", "y", "z", "t", "pi"};
    return variables.count(name) + functions.count(name) > 0;
  }


  std::string
  decimal_comma_hint(const std::string &text)
  {
    return has_match(text, "[0-9],[0-9]") ? " Decimals are written with a point: 0.5, not 0,5."
                                          : "";
  }


  const char *const translated_functions =
    "FUNCTION double nearest(double a) { return trunc(a + copysign(.5, a)); }\n"
    "FUNCTION double sign(double a) { return a < 0. ? -1. : (a > 0. ? 1. : 0.); }\n";


  std::string
  point_kernel_source(const Expression &expression, const std::string &number)
  {
    const unsigned int dim           = expression.dimension();
    const std::string  coordinates[] = {"x", "y", "z"};
    const std::size_t  n             = expression.n_components();
    const auto         c             = in_c(expression);
    std::ostringstream source;
    source << "#define FUNCTION __device__ static\n"
           << translated_functions
           << "extern \"C\" __global__ void evaluate(unsigned long long n_points,\n"
              "  const double *points, const double *time, const double *dt, double fraction,\n  "
           << number
           << " *values)\n{\n"
              "  const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + "
              "threadIdx.x;\n"
              "  if (i >= n_points)\n    return;\n";
    for (unsigned int d = 0; d < dim; ++d)
      source << "  const double " << coordinates[d] << " = points[i * " << dim << " + " << d
             << "];\n";
    source << "  const double t = *time + fraction * *dt;\n";
    for (std::size_t i = 0; i < n; ++i)
      source << "  values[i * " << n << " + " << i << "] = " << c[i] << ";\n";
    source << "}\n";
    return source.str();
  }
} // namespace Saltus
