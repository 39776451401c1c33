// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_message_of_h
#define saltus_tests_helpers_message_of_h

#include <exception>
#include <sstream>
#include <string>

namespace Saltus::Tests
{
  /// What @p call throws, in one line with single spaces; empty if it throws nothing.
  template <typename Call>
  std::string
  message_of(const Call &call)
  {
    try
      {
        call();
      }
    catch (const std::exception &e)
      {
        std::istringstream text(e.what());
        std::string        message, word;
        while (text >> word)
          message += (message.empty() ? "" : " ") + word;
        return message;
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
