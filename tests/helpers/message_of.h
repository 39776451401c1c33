// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_message_of_h
#define saltus_tests_helpers_message_of_h

#include <saltus/io/parameters/application.h>

#include <exception>
#include <string>

namespace Saltus::Tests
{
  /// What @p call throws, as programs print it; empty if it throws nothing.
  template <typename Call>
  std::string
  message_of(const Call &call)
  {
    try
      {
        call();
      }
    catch (const std::exception &exception)
      {
        return error_message(exception);
      }
    return "";
  }

  inline bool
  contains(const std::string &text, const std::string &part)
  {
    return text.find(part) != std::string::npos;
  }
} // namespace Saltus::Tests

#endif
