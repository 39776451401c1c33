// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_throughput_multiply_adds_h
#define applications_throughput_multiply_adds_h

#include <saltus/base/device/device.h>

namespace Saltus::Throughput
{
  /// The units that multiply small matrices in double precision.
  struct TensorCores
  {};

  /// Keep all arithmetic units of a device busy with independent multiply-adds, as a measure of
  /// what it can do. Asynchronous on a GPU, which must be the current device.
  /// @tparam Unit the number type, or TensorCores
  /// @return the floating-point operations performed, two a multiply-add; 0 if the device has no
  ///         such units
  template <typename Unit>
  double
  multiply_adds(const Device device);

  /// Where the versions for CPUs register, by level of the vector instruction set.
  template <typename Unit>
  struct MultiplyAddsRegistry
  {
    static inline double (*cpu[5])() = {};
  };
} // namespace Saltus::Throughput

#endif
