// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/environment.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace Saltus
{
  std::optional<double>
  environment_number(const char *variable, const double smallest, const double largest)
  {
    const char *const text = std::getenv(variable);
    if (text == nullptr)
      return {};
    char        *end   = nullptr;
    const double value = std::strtod(text, &end);
    if (end != text && *end == '\0' && smallest <= value && value <= largest)
      return value;
    std::ostringstream message;
    message << "The environment variable " << variable << " = '" << text
            << "' is not a number from " << smallest << " to " << largest << '.';
    throw std::runtime_error(message.str());
  }
} // namespace Saltus
