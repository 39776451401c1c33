// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_time_state_h
#define saltus_base_device_time_state_h

#include <limits>

namespace Saltus
{
  /// Simulated time and step size; lives where the data lives.
  struct TimeState
  {
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    double    time    = 0;
    double    dt      = 0;         ///< length of the last step, or of the one that is being done
    double    end     = unlimited; ///< steps are cut so that they end here; then dt is 0
    double    max_dt  = unlimited; ///< upper bound; the step size itself where cfl is 0
    double    cfl     = 0;
    long long n_steps = 0; ///< steps of positive length so far
  };
} // namespace Saltus

#endif
