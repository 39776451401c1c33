// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_element_kernels_h
#define saltus_operators_element_kernels_h

#include <saltus/base/block_layout.h>
#include <saltus/base/device.h>
#include <saltus/physics/array.h>

/// Work that every element does for itself, on scalar coefficient vectors `[block][m][l]` and on
/// symmetric matrices, one an element, of which the lower triangles are stored: `[block][i][l]`,
/// where entry (row, column) has `i = row (row + 1) / 2 + column`.
namespace Saltus
{
  template <typename Number>
  class ElementKernels
  {
  public:
    virtual ~ElementKernels() = default;

    /// Write the part of one column that is stored to all matrices.
    virtual void
    set_column(const int     n_elements,
               const int     n_modes,
               const int     column,
               const Number *values,
               Number       *matrices) const = 0;

    /// Replace positive definite matrices by their inverses; zeros stay.
    virtual void
    invert(const int n_elements, const int n_modes, Number *matrices) const = 0;

    /// `y = A x`
    virtual void
    multiply(const int     n_elements,
             const int     n_modes,
             const Number *matrices,
             const Number *x,
             Number       *y) const = 0;

    /// Write the diagonals of the matrices to `y`.
    virtual void
    diagonal(const int n_elements, const int n_modes, const Number *matrices, Number *y) const = 0;

    /// `y = factor x` with a factor for each element, `[block][l]`.
    virtual void
    scale(const int     n_elements,
          const int     n_modes,
          const Number *factors,
          const Number *x,
          Number       *y) const = 0;

    /// Write the first modes of a vector with @p n_fine modes to one with @p n_coarse.
    virtual void
    truncate(const int     n_elements,
             const int     n_fine,
             const int     n_coarse,
             const Number *fine,
             Number       *coarse) const = 0;

    /// Add a vector with @p n_coarse modes to the first modes of one with @p n_fine.
    virtual void
    add_truncated(const int     n_elements,
                  const int     n_fine,
                  const int     n_coarse,
                  const Number *coarse,
                  Number       *fine) const = 0;

    /// \f$ b_m \mathrel{+}= factor \sum_q w_q\, \phi_m(x_q) f_q \f$
    /// @param table `[q][m]`
    /// @param values f, `[block][q][l]`
    virtual void
    integrate(const int     n_elements,
              const int     n_modes,
              const int     n_points,
              const Number *table,
              const Number *weights,
              const Number *factors,
              const Number *values,
              Number       *b) const = 0;
  };

  /// Those of a device.
  template <typename Number>
  const ElementKernels<Number> &
  element_kernels(const Device device);

  /// Where compiled kernels register.
  template <typename Number>
  struct ElementKernelRegistry
  {
    static inline const ElementKernels<Number> *cuda   = nullptr;
    static inline const ElementKernels<Number> *cpu[5] = {};
  };

  /// What the back ends do: row by row, for each block of elements and, in a block, for the lanes
  /// from @p lane on that make up a number `T`. Rows do not depend on each other.
  namespace ElementRow
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

    template <typename Number>
    struct SetColumn
    {
      int           n_modes, column;
      const Number *values;
      Number       *matrices;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int i, const int lane) const
      {
        const int row = column + i;
        if (row < n_modes)
          store(read<T>(values + position(block, row, n_modes, lane)),
                matrices + position(block, entry(row, column), entry(n_modes, 0), lane));
      }
    };

    /// The sweep operator, pivot after pivot (Goodnight, Amer. Statist. 33, 1979). A positive
    /// definite matrix needs no other order of the pivots.
    template <typename Number>
    struct Invert
    {
      int     n_modes;
      Number *matrices;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int, const int lane) const
      {
        Number    *first = matrices + position(block, 0, entry(n_modes, 0), lane);
        const auto at    = [&](const int i, const int j) {
          return first + (i > j ? ElementRow::entry(i, j) : ElementRow::entry(j, i)) * block_size;
        };
        for (int k = 0; k < n_modes; ++k)
          {
            const T zero  = T(Number(0)); // where there is no element
            const T entry = read<T>(at(k, k));
            const T pivot = select(entry == zero, zero, T(Number(1)) / entry);
            for (int i = 0; i < n_modes; ++i)
              {
                if (i == k)
                  continue;
                const T factor = read<T>(at(i, k)) * pivot;
                for (int j = 0; j <= i; ++j)
                  if (j != k)
                    store(read<T>(at(i, j)) - factor * read<T>(at(j, k)), at(i, j));
              }
            for (int i = 0; i < n_modes; ++i)
              if (i != k)
                store(read<T>(at(i, k)) * pivot, at(i, k));
            store(-pivot, at(k, k));
          }
        for (int i = 0; i < entry(n_modes, 0); ++i)
          store(-read<T>(first + i * block_size), first + i * block_size);
      }
    };

    template <typename Number>
    struct Multiply
    {
      int           n_modes;
      const Number *matrices, *x;
      Number       *y;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const Number *first = matrices + position(block, 0, entry(n_modes, 0), lane);
        const Number *of_x  = x + position(block, 0, n_modes, lane);
        T             sum   = T(Number(0));
        for (int j = 0; j < row; ++j)
          sum = sum + read<T>(first + entry(row, j) * block_size) * read<T>(of_x + j * block_size);
        for (int j = row; j < n_modes; ++j)
          sum = sum + read<T>(first + entry(j, row) * block_size) * read<T>(of_x + j * block_size);
        store(sum, y + position(block, row, n_modes, lane));
      }
    };

    template <typename Number>
    struct Diagonal
    {
      int           n_modes;
      const Number *matrices;
      Number       *y;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        store(read<T>(matrices + position(block, entry(row, row), entry(n_modes, 0), lane)),
              y + position(block, row, n_modes, lane));
      }
    };

    template <typename Number>
    struct Scale
    {
      int           n_modes;
      const Number *factors, *x;
      Number       *y;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t i = position(block, row, n_modes, lane);
        store(read<T>(factors + position(block, 0, 1, lane)) * read<T>(x + i), y + i);
      }
    };

    template <typename Number>
    struct Truncate
    {
      int           n_fine, n_coarse;
      const Number *fine;
      Number       *coarse;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        store(read<T>(fine + position(block, row, n_fine, lane)),
              coarse + position(block, row, n_coarse, lane));
      }
    };

    template <typename Number>
    struct AddTruncated
    {
      int           n_fine, n_coarse;
      const Number *coarse;
      Number       *fine;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        Number *to = fine + position(block, row, n_fine, lane);
        store(read<T>(to) + read<T>(coarse + position(block, row, n_coarse, lane)), to);
      }
    };

    template <typename Number>
    struct Integrate
    {
      int           n_modes, n_points;
      const Number *table, *weights, *factors, *values;
      Number       *b;

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        T sum = T(Number(0));
        for (int q = 0; q < n_points; ++q)
          sum = sum + T(weights[q] * table[q * n_modes + row]) *
                        read<T>(values + position(block, q, n_points, lane));
        Number *to = b + position(block, row, n_modes, lane);
        store(read<T>(to) + read<T>(factors + position(block, 0, 1, lane)) * sum, to);
      }
    };
  } // namespace ElementRow

  /// The kernels of a back end, which offers `for_rows(n_elements, n_rows, work)`.
  template <typename Number, typename BackEnd>
  class ElementKernelsOn : public ElementKernels<Number>
  {
  public:
    void
    set_column(const int     n_elements,
               const int     n_modes,
               const int     column,
               const Number *values,
               Number       *matrices) const override
    {
      BackEnd::for_rows(n_elements,
                        n_modes - column,
                        ElementRow::SetColumn<Number>{n_modes, column, values, matrices});
    }

    void
    invert(const int n_elements, const int n_modes, Number *matrices) const override
    {
      BackEnd::for_rows(n_elements, 1, ElementRow::Invert<Number>{n_modes, matrices});
    }

    void
    multiply(const int     n_elements,
             const int     n_modes,
             const Number *matrices,
             const Number *x,
             Number       *y) const override
    {
      BackEnd::for_rows(n_elements, n_modes, ElementRow::Multiply<Number>{n_modes, matrices, x, y});
    }

    void
    diagonal(const int     n_elements,
             const int     n_modes,
             const Number *matrices,
             Number       *y) const override
    {
      BackEnd::for_rows(n_elements, n_modes, ElementRow::Diagonal<Number>{n_modes, matrices, y});
    }

    void
    scale(const int     n_elements,
          const int     n_modes,
          const Number *factors,
          const Number *x,
          Number       *y) const override
    {
      BackEnd::for_rows(n_elements, n_modes, ElementRow::Scale<Number>{n_modes, factors, x, y});
    }

    void
    truncate(const int     n_elements,
             const int     n_fine,
             const int     n_coarse,
             const Number *fine,
             Number       *coarse) const override
    {
      BackEnd::for_rows(n_elements,
                        n_coarse,
                        ElementRow::Truncate<Number>{n_fine, n_coarse, fine, coarse});
    }

    void
    add_truncated(const int     n_elements,
                  const int     n_fine,
                  const int     n_coarse,
                  const Number *coarse,
                  Number       *fine) const override
    {
      BackEnd::for_rows(n_elements,
                        n_coarse,
                        ElementRow::AddTruncated<Number>{n_fine, n_coarse, coarse, fine});
    }

    void
    integrate(const int     n_elements,
              const int     n_modes,
              const int     n_points,
              const Number *table,
              const Number *weights,
              const Number *factors,
              const Number *values,
              Number       *b) const override
    {
      BackEnd::for_rows(
        n_elements,
        n_modes,
        ElementRow::Integrate<Number>{n_modes, n_points, table, weights, factors, values, b});
    }
  };
} // namespace Saltus

#endif
