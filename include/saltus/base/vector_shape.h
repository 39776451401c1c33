// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_vector_shape_h
#define saltus_base_vector_shape_h

#include <saltus/base/block_layout.h>
#include <saltus/base/device.h>

#include <string>

namespace Saltus
{
  /// What vectors have in common that can be combined: where they are, and how their entries are
  /// arranged. Without modes: that of a vector which was not initialised.
  struct VectorShape
  {
    Device       device       = Device::cpu();
    unsigned int n_elements   = 0;
    unsigned int n_modes      = 0;
    unsigned int n_components = 0;

    bool
    operator==(const VectorShape &other) const
    {
      return n_elements == other.n_elements && n_modes == other.n_modes &&
             n_components == other.n_components && device == other.device;
    }

    /// Entries of the array, padding included.
    std::size_t
    array_size() const
    {
      return static_cast<std::size_t>(n_blocks(n_elements)) * block_size * n_modes * n_components;
    }

    /// For messages.
    std::string
    description() const;
  };

  /// @throws dealii::ExcMessage
  [[noreturn]] void
  throw_wrong_shape(const VectorShape &shape, const VectorShape &expected, const char *where);

  /// Let pass what has the shape that is needed. Costs a comparison; also in a release build, since
  /// kernels would read beyond the ends of arrays, or those of another device.
  /// @param where what complains, for the message
  /// @throws dealii::ExcMessage that says both shapes, also if neither has been initialised
  inline void
  check_shape(const VectorShape &shape, const VectorShape &expected, const char *where)
  {
    if (expected.n_modes == 0 || !(shape == expected))
      throw_wrong_shape(shape, expected, where);
  }
} // namespace Saltus

#endif
