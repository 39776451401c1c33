// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/regular_expression.h>

#include <regex>

namespace Saltus
{
  std::vector<std::string>
  match_whole(const std::string &text, const std::string &expression)
  {
    // The standard library recurses into each character.
    constexpr std::size_t longest = 5000;
    AssertThrow(text.size() <= longest,
                dealii::ExcMessage("The text that begins with '" + text.substr(0, 60) + "' has " +
                                   std::to_string(text.size()) + " characters. At most " +
                                   std::to_string(longest) + " can be read."));
    std::smatch match;
    if (!std::regex_match(text, match, std::regex(expression)))
      return {};
    return {match.begin(), match.end()};
  }


  bool
  has_match(const std::string &text, const std::string &expression)
  {
    return std::regex_search(text, std::regex(expression));
  }


  std::string
  replace_matches(const std::string &text,
                  const std::string &expression,
                  const std::string &replacement)
  {
    return std::regex_replace(text, std::regex(expression), replacement);
  }
} // namespace Saltus
