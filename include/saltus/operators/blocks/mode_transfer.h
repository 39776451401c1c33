// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_mode_transfer_h
#define saltus_operators_blocks_mode_transfer_h

#include <saltus/base/algebra/vector.h>

/// Transfer between degrees. Modes are hierarchical: those of a lower degree are the first of a
/// higher one.
namespace Saltus
{
  /// Write the first modes of the scalar vector @p fine to @p coarse, which has fewer.
  /// @throws dealii::ExcMessage for vectors on different elements or devices
  template <typename Number>
  void
  truncate_modes(Vector<Number> &coarse, const Vector<Number> &fine);

  /// Add the scalar vector @p coarse times a factor to the first modes of @p fine.
  /// @throws dealii::ExcMessage for vectors on different elements or devices
  template <typename Number>
  void
  add_truncated_modes(Vector<Number> &fine, const Vector<Number> &coarse, const Number factor = 1);
} // namespace Saltus

#endif
