// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_failure_h
#define saltus_operators_spaces_failure_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  enum class FailureKind : int
  {
    none,
    state,     ///< inadmissible
    wave_speed ///< not finite, although the state is admissible
  };

  /// The first thing that a kernel met and cannot compute with.
  struct Failure
  {
    FailureKind kind    = FailureKind::none;
    int         element = 0;
    double      time    = 0;
  };

  /// Where kernels note it.
  struct FailureRecord
  {
    Failure *failure = nullptr;
    double  *state   = nullptr; ///< `[c]`
  };

  /// Take the one place for a failure: false if it is taken.
  SALTUS_HOST_DEVICE
  bool
  claim(const FailureRecord &record, const FailureKind kind)
  {
    int *const place = reinterpret_cast<int *>(&record.failure->kind);
#ifdef __CUDA_ARCH__
    return atomicCAS(place, 0, static_cast<int>(kind)) == 0;
#else
    int none = 0;
    return __atomic_compare_exchange_n(
      place, &none, static_cast<int>(kind), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
  }

  /// Note a failure, unless one was noted before.
  template <typename Number, int n>
  SALTUS_HOST_DEVICE
  void
  record_failure(const FailureRecord    &record,
                 const FailureKind       kind,
                 const int               element,
                 const double            time,
                 const Array<Number, n> &state)
  {
    if (!claim(record, kind))
      return;
    record.failure->element = element;
    record.failure->time    = time;
    for (int c = 0; c < n; ++c)
      record.state[c] = state[c];
  }
} // namespace Saltus

#endif
