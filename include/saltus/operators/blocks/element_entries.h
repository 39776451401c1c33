// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_entries_h
#define saltus_operators_blocks_element_entries_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>

/// Where the numbers of elements are on which an operation of element_kernels.h works, and how the
/// rows of a vector are read and written: both types of rows have the same functions.
namespace Saltus
{
  namespace ElementOperation
  {
    SALTUS_HOST_DEVICE
    int
    entry(const int row, const int column)
    {
      return row * (row + 1) / 2 + column;
    }

    /// Position in `[block][i][l]`.
    SALTUS_HOST_DEVICE
    std::size_t
    position(const int block, const int i, const int n, const int lane)
    {
      return (static_cast<std::size_t>(block) * n + i) * block_size + lane;
    }

    template <typename T, typename Number>
    SALTUS_HOST_DEVICE
    T
    read(const Number *from)
    {
      T value;
      load(value, from);
      return value;
    }

    /// How many elements a number is of.
    template <typename T, typename Number>
    constexpr int n_lanes = sizeof(T) / sizeof(Number);

    /// Rows of 32 numbers that follow each other, `[block][row][l]`: the modes of a scalar vector,
    /// or, `[block][m][l][c]`, as many rows a mode as there are components, for work that is the
    /// same for all components and needs not know which pair of l and c is where.
    struct FullRows
    {
      int n;

      SALTUS_HOST_DEVICE
      static FullRows
      of(const CoefficientLayout &layout)
      {
        return {layout.n_modes * layout.n_components};
      }

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n;
      }

      /// Where row 0 begins.
      SALTUS_HOST_DEVICE
      std::size_t
      start(const int block, const int lane) const
      {
        return position(block, 0, n, lane);
      }

      /// @param from where row 0 begins
      template <typename T, typename Number>
      SALTUS_HOST_DEVICE
      T
      read(const Number *from, const int row) const
      {
        return ElementOperation::read<T>(from + row * block_size);
      }

      template <typename T, typename Number>
      SALTUS_HOST_DEVICE
      void
      write(const T &value, Number *to, const int row) const
      {
        store(value, to + row * block_size);
      }
    };

    /// Mode @p m of one component of the elements of a number.
    /// @param from where the component of mode 0 of the first of them is
    template <typename T, typename Number, typename Stored>
    SALTUS_HOST_DEVICE
    T
    read_component(const CoefficientLayout &layout, const Stored *from, const int m)
    {
      T values;
      for (int l = 0; l < n_lanes<T, Number>; ++l)
        set_lane(values,
                 l,
                 static_cast<Number>(from[m * layout.mode_stride() + l * layout.element_stride()]));
      return values;
    }

    /// The way back.
    template <typename T, typename Number, typename Stored>
    SALTUS_HOST_DEVICE
    void
    write_component(const CoefficientLayout &layout, const T &values, Stored *to, const int m)
    {
      for (int l = 0; l < n_lanes<T, Number>; ++l)
        to[m * layout.mode_stride() + l * layout.element_stride()] = get_lane(values, l);
    }

    /// Rows `[m][c]` of any vector: one number of each element.
    struct ComponentRows
    {
      CoefficientLayout layout;

      SALTUS_HOST_DEVICE
      static ComponentRows
      of(const CoefficientLayout &layout)
      {
        return {layout};
      }

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return layout.n_modes * layout.n_components;
      }

      SALTUS_HOST_DEVICE
      std::size_t
      start(const int block, const int lane) const
      {
        return layout.index(block * block_size + lane, 0);
      }

      template <typename T, typename Number>
      SALTUS_HOST_DEVICE
      T
      read(const Number *from, const int row) const
      {
        return read_component<T, Number>(layout,
                                         from + component(row) * layout.component_stride(),
                                         row / layout.n_components);
      }

      template <typename T, typename Number>
      SALTUS_HOST_DEVICE
      void
      write(const T &values, Number *to, const int row) const
      {
        write_component<T, Number>(layout,
                                   values,
                                   to + component(row) * layout.component_stride(),
                                   row / layout.n_components);
      }

    private:
      SALTUS_HOST_DEVICE
      int
      component(const int row) const
      {
        return row % layout.n_components;
      }
    };
  } // namespace ElementOperation
} // namespace Saltus

#endif
