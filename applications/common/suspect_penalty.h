// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_suspect_penalty_h
#define applications_common_suspect_penalty_h

#include <saltus/base/device/error_message.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace Saltus
{
  /// Perform an action. If it fails and a cause is suspected, say so.
  /// @param cause a sentence; empty: none
  /// @param sign only of messages with this text
  /// @throws std::runtime_error with the sentence after the message of what was thrown
  template <typename Action>
  auto
  suspect(const std::string &cause, const Action &action, const std::string &sign = "")
  {
    try
      {
        return action();
      }
    catch (const std::exception &error)
      {
        if (cause.empty() || error_message(error).find(sign) == std::string::npos)
          throw;
        throw std::runtime_error(error_message(error) + ' ' + cause);
      }
  }

  /// Perform an action of a solver with interior penalties. If it fails with an unusual penalty
  /// factor, that is probably why.
  /// @throws std::runtime_error that says so, after the message of what was thrown
  template <typename Action>
  auto
  suspect_penalty(const double penalty_factor, const Action &action)
  {
    std::ostringstream text;
    if (penalty_factor < 1. || penalty_factor > 100.)
      text << "Discretization/Penalty factor = " << penalty_factor << " is perhaps too "
           << (penalty_factor < 1. ? "small: below 1 the matrix may lose its positivity, from 1 on "
                                     "it has it on every mesh."
                                   : "large: with it grow iterations and rounding errors.");
    return suspect(text.str(), action);
  }
} // namespace Saltus

#endif
