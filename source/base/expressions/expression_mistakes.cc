// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/expression_mistakes.h>
#include <saltus/base/expressions/regular_expression.h>

#include <cctype>
#include <set>
#include <utility>
#include <vector>

namespace Saltus
{
  namespace
  {
    bool
    is_word(const char c)
    {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    }


    /// The name or number that ends before position @p end, blanks left out.
    std::string
    word_before(const std::string &text, std::size_t end)
    {
      while (end > 0 && text[end - 1] == ' ')
        --end;
      std::size_t begin = end;
      while (begin > 0 && is_word(text[begin - 1]))
        --begin;
      return text.substr(begin, end - begin);
    }


    /// Functions of any number of arguments.
    bool
    takes_any_number(const std::string &function)
    {
      static const std::set<std::string> names = {"min", "max", "sum", "avg"};
      return names.count(function) > 0;
    }


    /// Whether the comma at @p position may be that of a decimal number: the parser takes commas
    /// outside of functions without complaint, and any number of arguments in some of them.
    bool
    is_decimal_comma(const std::string &text,
                     const std::size_t  position,
                     const std::string &function)
    {
      if (function.empty())
        return true;
      const auto is_digit = [&](const std::size_t i) {
        return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
      };
      return takes_any_number(function) && is_digit(position - 1) && is_digit(position + 1) &&
             std::isdigit(static_cast<unsigned char>(word_before(text, position)[0])) != 0;
    }


    /// Position of the first one, `npos` if there is none.
    std::size_t
    find_decimal_comma(const std::string &text)
    {
      std::vector<std::string> functions; // before the open parentheses
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '(')
          functions.push_back(word_before(text, i));
        else if (text[i] == ')' && !functions.empty())
          functions.pop_back();
        else if (text[i] == ';')
          functions.clear();
        else if (text[i] == ',' &&
                 is_decimal_comma(text, i, functions.empty() ? "" : functions.back()))
          return i;
      return text.npos;
    }


    /// The first function of any number of arguments that has one only; empty if there is none.
    std::string
    find_lonely_argument(const std::string &text)
    {
      std::vector<std::pair<std::string, bool>>
        functions; // before the open parentheses, with a comma
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '(')
          functions.emplace_back(word_before(text, i), false);
        else if (text[i] == ',' && !functions.empty())
          functions.back().second = true;
        else if (text[i] == ')' && !functions.empty())
          {
            if (takes_any_number(functions.back().first) && !functions.back().second)
              return functions.back().first;
            functions.pop_back();
          }
      return "";
    }


    /// Position of the first `=` that is no part of a comparison, `npos` if there is none.
    std::size_t
    find_assignment(const std::string &text)
    {
      for (std::size_t i = text.find('='); i < text.size(); i = text.find('=', i + 1))
        if (i + 1 < text.size() && text[i + 1] == '=')
          ++i;
        else if (i == 0 || std::string("<>!").find(text[i - 1]) == text.npos)
          return i;
      return text.npos;
    }
  } // namespace


  std::string
  decimal_comma_hint(const std::string &text)
  {
    return has_match(text, "[0-9],[0-9]") ? " Decimals are written with a point: 0.5, not 0,5."
                                          : "";
  }


  void
  check_mistakes(const std::string &expression, const std::string &entry)
  {
    constexpr std::size_t longest = 5000;
    AssertThrow(expression.size() <= longest,
                dealii::ExcMessage(entry + ": the expression that begins with '" +
                                   expression.substr(0, 60) + "' has " +
                                   std::to_string(expression.size()) + " characters. At most " +
                                   std::to_string(longest) + " can be read."));
    const std::size_t comma = find_decimal_comma(expression);
    AssertThrow(comma == expression.npos,
                dealii::ExcMessage(
                  entry + ": in '" + expression + "' the comma after '" +
                  expression.substr(0, comma) +
                  "' separates no arguments of a function. Decimals are written with a point, 0.5, "
                  "and components are separated by ';'."));
    const std::string lonely = find_lonely_argument(expression);
    AssertThrow(lonely.empty(),
                dealii::ExcMessage(entry + ": in '" + expression + "' the function '" + lonely +
                                   "' has one argument. It takes two or more numbers at the same "
                                   "point; Evaluation/Extrema writes the extrema of a solution."));
    const std::size_t assignment = find_assignment(expression);
    AssertThrow(assignment == expression.npos,
                dealii::ExcMessage(entry + ": in '" + expression + "' the = after '" +
                                   expression.substr(0, assignment) +
                                   "' is no comparison. Comparisons are <, <=, >, >=, == and !=."));
  }
} // namespace Saltus
