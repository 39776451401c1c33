// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_regular_expression_h
#define saltus_base_expressions_regular_expression_h

#include <string>
#include <vector>

/// Regular expressions of the standard library (ECMAScript). The compiler takes seconds for them in
/// every file, so that only one has them.
namespace Saltus
{
  /// @p text and its parts that the groups of @p expression match; empty if the expression does not
  /// match the whole text.
  /// @throws dealii::ExcMessage for a text of more than 5,000 characters
  std::vector<std::string>
  match_whole(const std::string &text, const std::string &expression);

  /// Whether @p expression matches a part of @p text.
  bool
  has_match(const std::string &text, const std::string &expression);

  /// @p text with @p replacement instead of all parts that @p expression matches.
  std::string
  replace_matches(const std::string &text,
                  const std::string &expression,
                  const std::string &replacement);
} // namespace Saltus

#endif
