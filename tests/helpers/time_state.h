// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_time_state_h
#define saltus_tests_helpers_time_state_h

#include <saltus/base/device/time_state.h>

namespace Saltus::Tests
{
  /// The beginning of a run whose steps have the CFL number @p cfl.
  inline TimeState
  with_cfl(const double cfl, const double end = TimeState::unlimited)
  {
    TimeState state;
    state.cfl = cfl;
    state.end = end;
    return state;
  }
} // namespace Saltus::Tests

#endif
