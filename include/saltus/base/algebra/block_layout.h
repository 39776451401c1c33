// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_block_layout_h
#define saltus_base_algebra_block_layout_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// Elements a block. The last block of a vector is padded.
  constexpr int block_size = 32;

  /// Number of blocks that hold @p n_elements elements.
  SALTUS_HOST_DEVICE
  int
  n_blocks(const int n_elements)
  {
    return (n_elements + block_size - 1) / block_size;
  }

  /// Position of component 0 of the values at point @p point of element @p element in an array
  /// `[block][point][element in block][component]`.
  SALTUS_HOST_DEVICE
  constexpr std::size_t
  point_index(const int element, const int point, const int n_points, const int n_components)
  {
    const int block = element / block_size;
    const int lane  = element % block_size;
    return ((static_cast<std::size_t>(block) * n_points + point) * block_size + lane) *
           n_components;
  }

  /// Where the coefficients of elements that follow each other stand in a vector, one of three
  /// orders:
  /// - `[block][mode][element in block][component]`, so that GPUs read their own data in full lines
  ///   and four components of one neighbour's mode are one sector of 32 bytes;
  /// - `[block][element in block][mode][component]`, where more than four components fill no whole
  ///   number of sectors, and for four on quadrilaterals above degree 1, whose columns of points
  ///   are what the threads of an element read: what is read of an element is in one piece;
  /// - `[block][element in block][component][mode]`, for more than four components on hexahedra:
  ///   there the points of neighbouring columns are in one line only if components are apart.
  ///
  /// Which it is depends on the two numbers alone, and hypercubes are those with a square or a cube
  /// of modes: others with such a number only lose time. Kernels make a layout where they use it,
  /// of what they know at compile time: then it costs nothing.
  struct CoefficientLayout
  {
    int n_modes      = 0; ///< of an element
    int n_components = 0; ///< of a mode
    /// Number of the vector at which the block of element 0 begins: with 0 elements are counted
    /// from the first one of the vector, else from the first one of a range of them.
    std::size_t first = 0;

    /// Whether the coefficients of an element are in one piece.
    SALTUS_HOST_DEVICE
    constexpr bool
    element_by_element() const
    {
      return n_components > 4 || (n_components == 4 && n_modes > 4 && is_power(2));
    }

    /// Whether components are further from each other than modes.
    SALTUS_HOST_DEVICE
    constexpr bool
    component_by_component() const
    {
      return n_components > 4 && n_modes > 1 && is_power(3);
    }

    /// Distance between neighbouring components of a mode.
    SALTUS_HOST_DEVICE
    constexpr int
    component_stride() const
    {
      return component_by_component() ? n_modes : 1;
    }

    /// Distance between neighbouring modes of an element.
    SALTUS_HOST_DEVICE
    constexpr int
    mode_stride() const
    {
      return component_by_component() ? 1
             : element_by_element()   ? n_components
                                      : block_size * n_components;
    }

    /// Distance between neighbouring elements of a block.
    SALTUS_HOST_DEVICE
    constexpr int
    element_stride() const
    {
      return element_by_element() ? n_modes * n_components : n_components;
    }

    /// Position of a component of mode @p mode of element @p element.
    SALTUS_HOST_DEVICE
    constexpr std::size_t
    index(const int element, const int mode, const int component = 0) const
    {
      return first +
             (element_by_element()
                ? static_cast<std::size_t>(element) * element_stride() + mode * mode_stride()
                : point_index(element, mode, n_modes, n_components)) +
             component * component_stride();
    }

  private:
    /// Whether there is a power @p dim of a number of points as many as modes.
    SALTUS_HOST_DEVICE
    constexpr bool
    is_power(const int dim) const
    {
      bool found = false;
      for (int n = 1; n <= 10; ++n)
        found |= n_modes == (dim == 2 ? n * n : n * n * n);
      return found;
    }
  };
} // namespace Saltus

#endif
