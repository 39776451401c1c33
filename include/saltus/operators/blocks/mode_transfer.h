// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_mode_transfer_h
#define saltus_operators_blocks_mode_transfer_h

#include <saltus/base/algebra/vector.h>

#include <vector>

namespace Saltus
{
  /// Transfer of vectors between a degree and a lower one on the same elements.
  template <typename Number>
  class ModeTransfer
  {
  public:
    /// Between degrees of which the lower one has the first modes of the higher.
    ModeTransfer() = default;

    /// @param embedding of the lower degree, see Basis::embedding()
    ModeTransfer(const Device device, const std::vector<double> &embedding);

    /// Set @p coarse to the \f$ L^2 \f$ projection of @p fine on the reference cell.
    /// @throws dealii::ExcMessage for vectors on different elements or devices
    void
    project(Vector<Number> &coarse, const Vector<Number> &fine) const;

    /// Add the function @p coarse times a factor to @p fine.
    /// @throws dealii::ExcMessage for vectors on different elements or devices
    void
    add_embedded(Vector<Number> &fine, const Vector<Number> &coarse, const Number factor = 1) const;

    std::size_t
    memory_consumption() const
    {
      return embedding.size() * sizeof(Number);
    }

  private:
    Memory<Number> embedding; ///< `[m][k]`, empty where modes are added or left out
  };
} // namespace Saltus

#endif
