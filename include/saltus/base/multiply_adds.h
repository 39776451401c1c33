// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_multiply_adds_h
#define saltus_base_multiply_adds_h

#include <saltus/base/device.h>

namespace Saltus
{
  /// Keep all arithmetic units of a device busy with independent multiply-adds, as a measure of
  /// what it can do. Asynchronous on a GPU.
  /// @return the floating-point operations performed, two a multiply-add
  template <typename Number>
  double
  multiply_adds(const Device device);

  /// Where the CPU versions register, by level of the vector instruction set.
  template <typename Number>
  struct MultiplyAddsRegistry
  {
    static inline double (*cpu[5])() = {};
  };
} // namespace Saltus

#endif
