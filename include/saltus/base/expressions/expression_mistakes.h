// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_expression_mistakes_h
#define saltus_base_expressions_expression_mistakes_h

#include <string>

namespace Saltus
{
  /// A remark for messages about @p text, if a comma stands between two digits there; else empty.
  std::string
  decimal_comma_hint(const std::string &text);

  /// Reject mistakes in an expression that parsers take without complaint:
  /// - a comma outside of functions (`0,5`), or between two numbers in a function of any number of
  ///   arguments (`max(x, 0,5)`)
  /// - one argument alone in a function of any number of arguments (`max(density)`)
  /// - a single `=`, which is an assignment
  /// - more than 5,000 characters, for which a parser needs too much stack
  /// @throws dealii::ExcMessage naming @p entry and the text before the first of them
  void
  check_mistakes(const std::string &expression, const std::string &entry);
} // namespace Saltus

#endif
