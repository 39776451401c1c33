// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_environment_h
#define saltus_base_device_environment_h

#include <optional>

namespace Saltus
{
  /// Value of an environment variable, if it is set.
  /// @throws std::runtime_error if the value is not a number between @p smallest and @p largest
  std::optional<double>
  environment_number(const char *variable, const double smallest, const double largest);
} // namespace Saltus

#endif
