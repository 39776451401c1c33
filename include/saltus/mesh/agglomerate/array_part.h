// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_agglomerate_array_part_h
#define saltus_mesh_agglomerate_array_part_h

#include <cstddef>

namespace Saltus
{
  /// Part of an array, for loops.
  template <typename T>
  struct ArrayPart
  {
    const T *first, *last;

    const T *
    begin() const
    {
      return first;
    }

    const T *
    end() const
    {
      return last;
    }

    std::size_t
    size() const
    {
      return last - first;
    }
  };
} // namespace Saltus

#endif
