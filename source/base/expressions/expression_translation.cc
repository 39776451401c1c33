// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function_parser.h>

#include <saltus/base/expressions/expression_translation.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>

namespace Saltus
{
  namespace
  {
    struct Untranslatable : public std::runtime_error
    {
      using std::runtime_error::runtime_error;
    };

    std::string
    literal(const double value)
    {
      std::ostringstream text;
      text << std::setprecision(17) << std::scientific << value;
      return value < 0 ? "(" + text.str() + ")" : text.str();
    }

    /// Binary operators from the loosest to the tightest, as muParser orders them; `&` and `|` are
    /// deal.II's. A pattern's %1 and %2 are the operands.
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
      {"|", 1, "((fabs(%1) >= .5) || (fabs(%2) >= .5) ? 1. : 0.)"},
      {"&", 2, "((fabs(%1) >= .5) && (fabs(%2) >= .5) ? 1. : 0.)"},
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

    /// Functions with a fixed number of arguments, by name. Each argument occurs once: the text of
    /// nested functions would grow without bound.
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
      {"abs", {1, "fabs(%1)"}},        {"rint", {1, "floor(%1 + .5)"}},
      {"ceil", {1, "ceil(%1)"}},       {"floor", {1, "floor(%1)"}},
      {"erf", {1, "erf(%1)"}},         {"erfc", {1, "erfc(%1)"}},
      {"cot", {1, "(1. / tan(%1))"}},  {"csc", {1, "(1. / sin(%1))"}},
      {"sec", {1, "(1. / cos(%1))"}},  {"int", {1, "nearest(%1)"}},
      {"sign", {1, "sign(%1)"}},       {"pow", {2, "pow(%1, %2)"}},
      {"atan2", {2, "atan2(%1, %2)"}}, {"if", {3, "(fabs(%1) >= .5 ? %2 : %3)"}}};

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

    /// A constant of muParser's; asked for, because not all of its digits are those of the number.
    double
    builtin(const std::string &name)
    {
      dealii::FunctionParser<1> parser(1);
      parser.initialize("x", name, std::map<std::string, double>());
      return parser.value(dealii::Point<1>());
    }

    /// Recursive descent, operators by precedence climbing. The text has been accepted by muParser
    /// before: what is not understood here is refused, but no care is taken to say it well.
    class Translator
    {
    public:
      Translator(const std::string &text, const std::map<std::string, std::string> &names)
        : text(text)
        , names(names)
      {}

      std::string
      run()
      {
        const std::string result = conditional();
        skip_space();
        if (position < text.size())
          refuse("'" + text.substr(position) + "' is not understood");
        return result;
      }

    private:
      [[noreturn]] void
      refuse(const std::string &reason) const
      {
        throw Untranslatable(reason);
      }

      void
      skip_space()
      {
        while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
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
        if (!take(symbol))
          refuse("'" + symbol + "' is expected before '" + text.substr(position) + "'");
      }

      /// `a ? b : c`, looser than all operators and right-associative.
      std::string
      conditional()
      {
        const std::string condition = operation(1);
        if (!take("?"))
          return condition;
        const std::string yes = conditional();
        expect(":");
        return substitute("(%1 != 0. ? %2 : %3)", {condition, yes, conditional()});
      }

      /// Operators of at least @p precedence.
      std::string
      operation(const int precedence)
      {
        std::string left = signed_operand();
        while (const BinaryOperator *op = next_operator(precedence))
          {
            // The power is right-associative, the others are left-associative.
            const bool right = op->precedence == power_precedence;
            left = substitute(op->pattern, {left, operation(op->precedence + (right ? 0 : 1))});
          }
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

      /// A sign binds tighter than a sum, but looser than a power.
      std::string
      signed_operand()
      {
        if (take("-"))
          return "(-" + operation(sign_precedence + 1) + ")";
        if (take("+"))
          return operation(sign_precedence + 1);
        return operand();
      }

      std::string
      operand()
      {
        skip_space();
        if (take("("))
          {
            const std::string inside = conditional();
            expect(")");
            return inside;
          }
        if (position >= text.size())
          refuse("it ends too early");
        if (const char c = text[position]; std::isdigit(static_cast<unsigned char>(c)) || c == '.')
          return number();
        return name();
      }

      std::string
      number()
      {
        // Not strtod() alone: it would take hexadecimal digits.
        const std::size_t end  = text.find_first_not_of("0123456789.", position);
        std::size_t       last = std::min(end, text.size());
        if (last < text.size() && (text[last] == 'e' || text[last] == 'E'))
          {
            std::size_t exponent = last + 1;
            if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-'))
              ++exponent;
            if (exponent < text.size() && std::isdigit(static_cast<unsigned char>(text[exponent])))
              last = std::min(text.find_first_not_of("0123456789", exponent), text.size());
          }
        const std::string digits = text.substr(position, last - position);
        position                 = last;
        return literal(std::strtod(digits.c_str(), nullptr));
      }

      std::string
      name()
      {
        std::size_t end = position;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
          ++end;
        const std::string word = text.substr(position, end - position);
        if (word.empty())
          refuse("'" + text.substr(position) + "' is not understood");
        position = end;
        if (take("("))
          return call(word);
        const auto found = names.find(word);
        if (found == names.end())
          refuse("'" + word + "' has no translation");
        return found->second;
      }

      std::string
      call(const std::string &function)
      {
        std::vector<std::string> arguments;
        if (!take(")"))
          {
            do
              arguments.push_back(conditional());
            while (take(","));
            expect(")");
          }
        if (function == "min" || function == "max" || function == "sum" || function == "avg")
          return fold(function, arguments);
        const auto found = functions.find(function);
        if (found == functions.end() || found->second.first != arguments.size())
          refuse("the function '" + function + "' has no translation");
        return substitute(found->second.second, arguments);
      }

      std::string
      fold(const std::string &function, const std::vector<std::string> &arguments) const
      {
        if (arguments.empty())
          refuse("'" + function + "' has no arguments");
        const char *pattern =
          function == "min" ? "fmin(%1, %2)" : (function == "max" ? "fmax(%1, %2)" : "(%1 + %2)");
        std::string result = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
          result = substitute(pattern, {result, arguments[i]});
        return function == "avg" ? "(" + result + " / " + literal(arguments.size()) + ")" : result;
      }

      const std::string                        &text;
      const std::map<std::string, std::string> &names;
      std::size_t                               position = 0;
    };
  } // namespace

  ExpressionTranslation
  translate(const Expression &expression)
  {
    std::map<std::string, std::string> names = {{"x", "x"},
                                                {"y", "y"},
                                                {"t", "t"},
                                                {"_pi", literal(builtin("_pi"))},
                                                {"_e", literal(builtin("_e"))}};
    if (expression.dimension() == 3)
      names.emplace("z", "z");
    for (const auto &[name, value] : expression.constants())
      names.emplace(name, literal(value));

    ExpressionTranslation translation;
    std::istringstream    texts(expression.text());
    std::string           text;
    try
      {
        while (std::getline(texts, text, ';'))
          translation.components.push_back(Translator(text, names).run());
      }
    catch (const Untranslatable &exception)
      {
        translation.components.clear();
        translation.reason = exception.what();
      }
    return translation;
  }

  const char *const translated_functions =
    "FUNCTION double nearest(double a) { return trunc(a + copysign(.5, a)); }\n"
    "FUNCTION double sign(double a) { return a < 0. ? -1. : (a > 0. ? 1. : 0.); }\n";

  std::string
  point_kernel_source(const ExpressionTranslation &translation,
                      const unsigned int           dim,
                      const std::string           &number)
  {
    const std::string  coordinates[] = {"x", "y", "z"};
    const std::size_t  n             = translation.components.size();
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
    for (std::size_t c = 0; c < n; ++c)
      source << "  values[i * " << n << " + " << c << "] = " << translation.components[c] << ";\n";
    source << "}\n";
    return source.str();
  }
} // namespace Saltus
