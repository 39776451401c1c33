// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_block_layout_h
#define saltus_base_block_layout_h

#include <saltus/base/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// Elements a block. Coefficients are stored as `[block][mode][element in block][component]`,
  /// so that a GPU reads its own data in full lines and the four components of one neighbour's mode
  /// are one 32-byte sector. The last block is padded.
  constexpr int block_size = 32;

  /// Number of blocks that hold @p n_elements elements.
  SALTUS_HOST_DEVICE
  int
  n_blocks(const int n_elements)
  {
    return (n_elements + block_size - 1) / block_size;
  }

  /// Position of component 0 of mode @p mode of element @p element in a coefficient vector with
  /// @p n_modes modes and @p n_components components.
  SALTUS_HOST_DEVICE
  std::size_t
  coefficient_index(const int element, const int mode, const int n_modes, const int n_components)
  {
    const int block = element / block_size;
    const int lane  = element % block_size;
    return ((static_cast<std::size_t>(block) * n_modes + mode) * block_size + lane) * n_components;
  }

  /// Position of component 0 of the values at point @p point of element @p element in an array
  /// `[block][point][element in block][component]`.
  SALTUS_HOST_DEVICE
  std::size_t
  point_index(const int element, const int point, const int n_points, const int n_components)
  {
    return coefficient_index(element, point, n_points, n_components);
  }
} // namespace Saltus

#endif
