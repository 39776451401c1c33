// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_contents_h
#define saltus_tests_helpers_contents_h

#include <fstream>
#include <sstream>
#include <string>

namespace Saltus::Tests
{
  /// The bytes of a file; empty if there is none.
  inline std::string
  contents(const std::string &file)
  {
    std::ifstream      stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
} // namespace Saltus::Tests

#endif
