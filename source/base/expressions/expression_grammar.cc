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

  // Compiled here for loops, and as text for C.
#define FUNCTION inline
#define COMPILE_AND_QUOTE(...) \
  namespace                    \
  {                            \
    __VA_ARGS__                \
  }                            \
  const char *const translated_functions = #__VA_ARGS__ "\n";
  // clang-format off
  COMPILE_AND_QUOTE(
    FUNCTION double nearest(double a) { return trunc(a + copysign(.5, a)); }
    FUNCTION double sign(double a) { return a < 0. ? -1. : (a > 0. ? 1. : 0.); })
  // clang-format on
#undef FUNCTION
#undef COMPILE_AND_QUOTE

  namespace
  {
    std::string
    literal(const double value)
    {
      std::ostringstream text;
      text << std::setprecision(17) << std::scientific << value;
      return value < 0 ? "(" + text.str() + ")" : text.str();
    }

    /// An operation on arguments A, B and C: its text in C, and a loop of it.
    struct Operation
    {
      const char           *pattern;
      ExpressionSteps::Loop loop;
    };

#define OPERATION(...)                                                                     \
  {                                                                                        \
#__VA_ARGS__, [](const std::size_t n, const double *const *arguments, double *result) {  \
      for (std::size_t i = 0; i < n; ++i)                                                  \
        {                                                                                  \
          [[maybe_unused]] const double A = arguments[0][i], B = arguments[1][i],           \
                                        C = arguments[2][i];                               \
          result[i]                       = __VA_ARGS__;                                   \
        }                                                                                  \
    } \
  }

    /// Binary operators with muParser's precedences, from the loosest to the tightest.
    struct BinaryOperator
    {
      const char *symbol;
      int         precedence;
      Operation   operation;
    };

    constexpr BinaryOperator binary_operators[] = {
      // Symbols that begin like another come first.
      {"||", 1, OPERATION(((A != 0.) || (B != 0.) ? 1. : 0.))},
      {"&&", 2, OPERATION(((A != 0.) && (B != 0.) ? 1. : 0.))},
      {"<=", 4, OPERATION((A <= B ? 1. : 0.))},
      {">=", 4, OPERATION((A >= B ? 1. : 0.))},
      {"!=", 4, OPERATION((A != B ? 1. : 0.))},
      {"==", 4, OPERATION((A == B ? 1. : 0.))},
      {"<", 4, OPERATION((A < B ? 1. : 0.))},
      {">", 4, OPERATION((A > B ? 1. : 0.))},
      {"+", 5, OPERATION((A + B))},
      {"-", 5, OPERATION((A - B))},
      {"*", 6, OPERATION((A * B))},
      {"/", 6, OPERATION((A / B))},
      {"^", 7, OPERATION(pow(A, B))}};

    constexpr Operation negation = OPERATION((-A)), choice = OPERATION((A != 0. ? B : C));

    constexpr int sign_precedence = 6, power_precedence = 7;

    /// Functions by name: the number of arguments, and the operation. Each argument occurs once:
    /// the text of nested functions would grow without bound. Two arguments of `min` and `max` are
    /// the fewest.
    const std::map<std::string, std::pair<unsigned int, Operation>> functions = {
      {"sin", {1, OPERATION(sin(A))}},        {"cos", {1, OPERATION(cos(A))}},
      {"tan", {1, OPERATION(tan(A))}},        {"asin", {1, OPERATION(asin(A))}},
      {"acos", {1, OPERATION(acos(A))}},      {"atan", {1, OPERATION(atan(A))}},
      {"sinh", {1, OPERATION(sinh(A))}},      {"cosh", {1, OPERATION(cosh(A))}},
      {"tanh", {1, OPERATION(tanh(A))}},      {"asinh", {1, OPERATION(asinh(A))}},
      {"acosh", {1, OPERATION(acosh(A))}},    {"atanh", {1, OPERATION(atanh(A))}},
      {"log2", {1, OPERATION(log2(A))}},      {"log10", {1, OPERATION(log10(A))}},
      {"log", {1, OPERATION(log(A))}},        {"ln", {1, OPERATION(log(A))}},
      {"exp", {1, OPERATION(exp(A))}},        {"sqrt", {1, OPERATION(sqrt(A))}},
      {"abs", {1, OPERATION(fabs(A))}},       {"int", {1, OPERATION(nearest(A))}},
      {"ceil", {1, OPERATION(ceil(A))}},      {"floor", {1, OPERATION(floor(A))}},
      {"erfc", {1, OPERATION(erfc(A))}},      {"cot", {1, OPERATION((1. / tan(A)))}},
      {"csc", {1, OPERATION((1. / sin(A)))}}, {"sec", {1, OPERATION((1. / cos(A)))}},
      {"sign", {1, OPERATION(sign(A))}},      {"pow", {2, OPERATION(pow(A, B))}},
      {"atan2", {2, OPERATION(atan2(A, B))}}, {"min", {2, OPERATION(fmin(A, B))}},
      {"max", {2, OPERATION(fmax(A, B))}},    {"if", {3, OPERATION((fabs(A) >= .5 ? B : C))}}};
#undef OPERATION

    bool
    takes_any_number(const std::string &function)
    {
      return function == "min" || function == "max";
    }

    /// A part of an expression: in C, and as a step.
    struct Term
    {
      std::string c;
      int         step;
    };

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
      Grammar(const std::string                 &text,
              const std::map<std::string, Term> &names,
              const std::string                 &cannot_use,
              ExpressionSteps                   &steps)
        : text(text)
        , names(names)
        , cannot_use(cannot_use)
        , steps(steps)
      {}

      ParsedExpression
      run()
      {
        const Term whole = conditional();
        result.c         = whole.c;
        result.step      = whole.step;
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

      Term
      apply(const Operation &operation, const std::vector<Term> &arguments)
      {
        Term result;
        for (const char *c = operation.pattern; *c != '\0'; ++c)
          if (*c >= 'A' && *c <= 'C')
            result.c += arguments[*c - 'A'].c;
          else
            result.c += *c;
        ExpressionSteps::Step step{operation.loop, {0, 0, 0}, "", 0.};
        for (std::size_t i = 0; i < step.arguments.size(); ++i)
          step.arguments[i] = arguments[std::min(i, arguments.size() - 1)].step;
        result.step = steps.add(step);
        return result;
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
      Term
      conditional()
      {
        go_deeper();
        Term result = operation(1);
        if (take("?"))
          {
            const Term yes = conditional();
            expect(":");
            result = apply(choice, {result, yes, conditional()});
          }
        --depth;
        return result;
      }

      /// Operators of at least @p precedence.
      Term
      operation(const int precedence)
      {
        go_deeper();
        Term left = signed_operand();
        while (const BinaryOperator *op = next_operator(precedence))
          {
            // The power is right-associative, the others are left-associative.
            const bool right = op->precedence == power_precedence;
            left = apply(op->operation, {left, operation(op->precedence + (right ? 0 : 1))});
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
      Term
      signed_operand()
      {
        const bool is_minus = take("-");
        if (!is_minus && !take("+"))
          return operand();
        skip_space();
        check(at(position) != '-' && at(position) != '+', mistake_here());
        const Term result = operation(sign_precedence + 1);
        return is_minus ? apply(negation, {result}) : result;
      }

      Term
      operand()
      {
        if (take("("))
          {
            const Term inside = conditional();
            expect(")");
            return inside;
          }
        const char c = at(position);
        return is_digit(c) || c == '.' ? number() : name();
      }

      Term
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
        return {literal(value), steps.literal(value)};
      }

      Term
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

      Term
      call(const std::string &function)
      {
        const auto found = functions.find(function);
        check(found != functions.end(),
              "'" + function + "' is no function. Functions are " + list_of(functions) + ".");
        const auto &[n, operation]   = found->second;
        const bool        any_number = takes_any_number(function);
        std::vector<Term> arguments;
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
        Term result = apply(operation, arguments);
        for (std::size_t i = n; i < arguments.size(); ++i)
          result = apply(operation, {result, arguments[i]});
        return result;
      }

      const std::string                 &text;
      const std::map<std::string, Term> &names;
      const std::string                 &cannot_use; ///< begins all messages
      ExpressionSteps                   &steps;
      ParsedExpression                   result;
      std::size_t                        position = 0, end_of_integer = 0;
      unsigned int                       depth = 0;
    };
  } // namespace


  std::vector<ParsedExpression>
  parse_expressions(const std::string                   &text,
                    const unsigned int                   n_components,
                    const unsigned int                   dim,
                    const std::map<std::string, double> &constants,
                    const std::vector<std::string>      &quantities,
                    const std::string                   &entry,
                    ExpressionSteps                     *steps)
  {
    ExpressionSteps own;
    if (steps == nullptr)
      steps = &own;
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

    std::map<std::string, Term> names;
    const auto                  add_variable = [&](const std::string &name) {
      names.emplace(name, Term{name, steps->add({nullptr, {0, 0, 0}, name, 0.})});
    };
    const auto add_constant = [&](const std::string &name, const double value) {
      names.emplace(name, Term{literal(value), steps->literal(value)});
    };
    for (const std::string name : {"x", "y", "t"})
      add_variable(name);
    if (dim == 3)
      add_variable("z");
    for (const std::string &quantity : quantities)
      add_variable(quantity);
    for (const auto &[name, value] : constants)
      add_constant(name, value);
    add_constant("pi", dealii::numbers::PI);

    const std::string cannot_use = entry + ": cannot use the expression '" + text + "'. ";
    std::vector<ParsedExpression> result;
    std::istringstream            components(text + ';');
    for (std::string component; std::getline(components, component, ';');)
      result.push_back(Grammar(component, names, cannot_use, *steps).run());
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


  KernelSource
  point_program(const Expression &expression, const std::string &number)
  {
    const unsigned int dim           = expression.dimension();
    const std::string  coordinates[] = {"x", "y", "z"};
    const std::size_t  n             = expression.n_components();
    const auto         c             = in_c(expression);
    std::ostringstream source;
    source << "#define FUNCTION __device__ static\n"
           << translated_functions
           << "struct PointProgram\n{\n"
              "static constexpr Saltus::LaunchShape shape{128, 128};\n"
              "static __device__ void run(const unsigned long n_points, const double *points,\n"
              "  const double *time, const double *dt, const double fraction, "
           << number
           << " *values)\n{\n"
              "  const unsigned long i = blockIdx.x * 128ul + threadIdx.x;\n"
              "  if (i >= n_points)\n    return;\n";
    for (unsigned int d = 0; d < dim; ++d)
      source << "  const double " << coordinates[d] << " = points[i * " << dim << " + " << d
             << "];\n";
    source << "  const double t = *time + fraction * *dt;\n";
    for (std::size_t i = 0; i < n; ++i)
      source << "  values[i * " << n << " + " << i << "] = " << c[i] << ";\n";
    source << "}\n};\n";

    KernelSource program;
    program.program     = "PointProgram";
    program.definitions = source.str();
    program.contracts   = false;
    for (const std::string type :
         {"unsigned long", "const double *", "const double *", "const double *", "double"})
      program.arguments.push_back({type, 8});
    program.arguments.push_back({number + " *", sizeof(void *)});
    return program;
  }
} // namespace Saltus
