// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_message_of_h
#define saltus_tests_helpers_message_of_h

#include <saltus/base/device/error_message.h>

#include <exception>
#include <gtest/gtest.h>
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

  /// Whether @p part stands in @p text; where a test wants another answer it shows both.
  inline testing::AssertionResult
  contains(const std::string &text, const std::string &part)
  {
    const bool found = text.find(part) != std::string::npos;
    return testing::AssertionResult(found)
           << "'" << part << "' is " << (found ? "" : "not ") << "in '" << text << "'";
  }
} // namespace Saltus::Tests

/// That @p statement ends in a message with the part @p text.
#define EXPECT_MESSAGE(statement, text) \
  EXPECT_TRUE(Saltus::Tests::contains(Saltus::Tests::message_of([&]() { statement; }), text))

#endif
