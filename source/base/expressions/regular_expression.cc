// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/regular_expression.h>

#include <regex>

namespace Saltus
{
  std::vector<std::string>
  match_whole(const std::string &text, const std::string &expression)
  {
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
