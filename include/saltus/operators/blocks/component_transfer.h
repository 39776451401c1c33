// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_component_transfer_h
#define saltus_operators_blocks_component_transfer_h

#include <saltus/base/algebra/vector.h>

/// Between vectors of several components and scalar ones of any precision on the same elements.
namespace Saltus
{
  /// Write the component @p component of @p from to @p to.
  /// @throws dealii::ExcMessage for vectors on different elements or devices, or with other modes
  template <typename Number>
  void
  extract_component(Vector<Number> &to, const Vector<double> &from, const unsigned int component);

  /// Overwrite the component @p component of @p to with @p from.
  /// @throws dealii::ExcMessage for vectors on different elements or devices, or with other modes
  template <typename Number>
  void
  insert_component(Vector<double> &to, const Vector<Number> &from, const unsigned int component);
} // namespace Saltus

#endif
