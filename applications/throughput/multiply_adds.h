// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_multiply_adds_h
#define applications_throughput_multiply_adds_h

#include <saltus/base/device.h>

namespace Saltus::Throughput
{
  /// Keep all arithmetic units of a device busy with independent multiply-adds, as a measure of
  /// what it can do. Asynchronous on a GPU, which must be the current device.
  /// @return the floating-point operations performed, two a multiply-add
  template <typename Number>
  double
  multiply_adds(const Device device);

  /// Where the compiled versions register, those of CPUs by level of the vector instruction set.
  template <typename Number>
  struct MultiplyAddsRegistry
  {
    using Function = double (*)();

    static inline Function cuda   = nullptr;
    static inline Function cpu[5] = {};
  };
} // namespace Saltus::Throughput

#endif
