// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_common_suspect_penalty_h
#define applications_common_suspect_penalty_h

#include <saltus/base/device/error_message.h>

#include <sstream>
#include <stdexcept>

namespace Saltus
{
  /// Perform an action of a solver with interior penalties. If it fails with an unusual penalty
  /// factor, that is probably why.
  /// @throws std::runtime_error that says so, after the message of what was thrown
  template <typename Action>
  auto
  suspect_penalty(const double penalty_factor, const Action &action)
  {
    try
      {
        return action();
      }
    catch (const std::exception &error)
      {
        if (1. <= penalty_factor && penalty_factor <= 100.)
          throw;
        std::ostringstream text;
        text << error_message(error) << " Discretization/Penalty factor = " << penalty_factor
             << " is perhaps too "
             << (penalty_factor < 1.
                   ? "small: below 1 the matrix may lose its positivity, from 1 on "
                     "it has it on every mesh."
                   : "large: with it grow iterations and rounding errors.");
        throw std::runtime_error(text.str());
      }
  }
} // namespace Saltus

#endif
