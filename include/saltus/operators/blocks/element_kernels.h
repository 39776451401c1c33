// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_kernels_h
#define saltus_operators_blocks_element_kernels_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/operators/blocks/element_entries.h>
#include <saltus/operators/blocks/rounded_block.h>

/// Work that every element does for itself, on scalar coefficient vectors `[block][m][l]` and on
/// symmetric matrices, one an element, of which the lower triangles are stored: `[block][i][l]`,
/// where entry (row, column) has `i = row (row + 1) / 2 + column`. Vectors of several components,
/// `[block][m][l][c]`, have as many rows a mode, of which each is a part of the pairs of l and c.
///
/// An operation is a struct of sizes and pointers. `run<T>(block, row, lane)` does its work for one
/// row, of `n_rows()`, in the lanes from `lane` on that make up a number `T`; rows do not depend on
/// each other. That is all there is to write for a new one, and its place in the list of its
/// folder, which that enrols on each back end.
namespace Saltus
{
  namespace ElementOperation
  {
    /// One row of `A x`
    template <typename T, typename Number>
    SALTUS_HOST_DEVICE
    T
    product(const int     n_modes,
            const Number *matrices,
            const Number *x,
            const int     block,
            const int     row,
            const int     lane)
    {
      const Number *first = matrices + position(block, 0, entry(n_modes, 0), lane);
      const Number *of_x  = x + position(block, 0, n_modes, lane);
      T             sum   = T(Number(0));
      for (int j = 0; j < row; ++j)
        sum = sum + read<T>(first + entry(row, j) * block_size) * read<T>(of_x + j * block_size);
      for (int j = row; j < n_modes; ++j)
        sum = sum + read<T>(first + entry(j, row) * block_size) * read<T>(of_x + j * block_size);
      return sum;
    }

    /// Write the part of one column that is stored to all matrices.
    template <typename Number>
    struct SetColumn
    {
      int           n_modes, column;
      const Number *values;
      Number       *matrices;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes - column;
      }

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

    /// Replace positive definite matrices by their inverses; zeros stay. By the sweep operator,
    /// pivot after pivot (Goodnight, Amer. Statist. 33, 1979). A positive definite matrix needs no
    /// other order of the pivots.
    template <typename Number>
    struct Invert
    {
      int     n_modes;
      Number *matrices;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return 1;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int, const int lane) const
      {
        Number    *first = matrices + position(block, 0, entry(n_modes, 0), lane);
        const auto at    = [&](const int i, const int j) {
          return first + (i > j ? ElementOperation::entry(i, j) : ElementOperation::entry(j, i)) *
                           block_size;
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

    /// `y = A x`
    template <typename Number>
    struct Multiply
    {
      int           n_modes;
      const Number *matrices, *x;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        store(product<T>(n_modes, matrices, x, block, row, lane),
              y + position(block, row, n_modes, lane));
      }
    };

    /// Round positive definite matrices to 16 bits, see RoundedBlock; zeros stay.
    template <typename Number>
    struct Round
    {
      int           n_modes;
      const Number *matrices;
      Number       *scaling;
      unsigned int *words;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return 1;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int, const int lane) const
      {
        for (unsigned int l = 0; l < sizeof(T) / sizeof(Number); ++l)
          round(block, lane + l);
      }

      SALTUS_HOST_DEVICE
      void
      round(const int block, const int lane) const
      {
        // What rounding can add to the matrix is smaller than what this takes from it: it stays
        // positive.
        const Number  shrink  = 1 - Number(n_modes) / (2 * RoundedBlock::scale);
        const int     n_words = RoundedBlock::n_words(n_modes);
        const Number *matrix =
          matrices + position(block, 0, ElementOperation::entry(n_modes, 0), lane);
        Number       *d  = scaling + position(block, 0, n_modes, lane);
        unsigned int *to = words + position(block, 0, n_words, lane);
        for (int i = 0; i < n_modes; ++i)
          d[i * block_size] = sqrt(matrix[ElementOperation::entry(i, i) * block_size]);
        for (int w = 0; w < n_words; ++w)
          to[w * block_size] = 0;
        for (int i = 1; i < n_modes; ++i)
          for (int j = 0; j < i; ++j)
            {
              const Number size  = d[i * block_size] * d[j * block_size];
              const Number entry = matrix[ElementOperation::entry(i, j) * block_size];
              const int    e     = RoundedBlock::entry(i, j);
              to[e / 2 * block_size] |=
                RoundedBlock::encode(size > Number(0) ? shrink * entry / size : Number(0), e % 2);
            }
      }
    };

    /// `y = x + a A r` with matrices that were rounded; without x: `y = a A r`.
    template <typename Number>
    struct MultiplyRounded
    {
      int                        n_modes;
      Number                     a;
      RoundedBlockArrays<Number> matrices;
      const Number              *r, *x;
      Number                    *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t   first = position(block, 0, n_modes, lane);
        const unsigned int *words =
          matrices.words + position(block, 0, RoundedBlock::n_words(n_modes), lane);
        const auto scaled = [&](const int m) {
          return read<T>(matrices.scaling + first + m * block_size) *
                 read<T>(r + first + m * block_size);
        };
        T sum = T(Number(0));
        for (int j = 0; j < n_modes; ++j)
          if (j != row)
            {
              const int  e    = row > j ? RoundedBlock::entry(row, j) : RoundedBlock::entry(j, row);
              const auto word = LaneWords<T>::load(words + e / 2 * block_size);
              sum             = sum + RoundedBlock::decode<T>(word, e % 2) * scaled(j);
            }
        const std::size_t i = first + row * block_size;
        output(i,
               0,
               read<T>(matrices.scaling + i) *
                 (scaled(row) + T(Number(1) / RoundedBlock::scale) * sum));
      }

      // What products with whole matrices need, of which each element has one here.

      SALTUS_HOST_DEVICE
      int
      n_products() const
      {
        return 1;
      }

      /// What is multiplied, at the position @p i.
      template <typename T>
      SALTUS_HOST_DEVICE
      T
      input(const std::size_t i, const int) const
      {
        return read<T>(r + i);
      }

      /// Take what comes out.
      template <typename T>
      SALTUS_HOST_DEVICE
      void
      output(const std::size_t i, const int, const T &product) const
      {
        const T result = T(a) * product;
        store(x != nullptr ? read<T>(x + i) + result : result, y + i);
      }
    };

    /// `y = A r` for some components of vectors `[block][m][l][c]` with matrices that were rounded
    /// and that these components share; the other components of y stay.
    template <typename Number>
    struct MultiplyRoundedComponents
    {
      int                        n_modes, n_components;
      Array<int, 3>              components;
      int                        n_selected; ///< of them
      RoundedBlockArrays<Number> matrices;
      const double              *r;
      double                    *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_selected;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t   first = position(block, 0, n_modes, lane);
        const unsigned int *words =
          matrices.words + position(block, 0, RoundedBlock::n_words(n_modes), lane);
        T x[RoundedBlock::max_rows];
        for (int m = 0; m < n_modes; ++m)
          x[m] = input<T>(first + m * block_size, row);
        RoundedBlock::multiply(n_modes, matrices.scaling + first, words, x);
        for (int m = 0; m < n_modes; ++m)
          output(first + m * block_size, row, x[m]);
      }

      // See MultiplyRounded.

      SALTUS_HOST_DEVICE
      int
      n_products() const
      {
        return n_selected;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      T
      input(const std::size_t i, const int product) const
      {
        T values;
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          set_lane(values, l, static_cast<Number>(r[(i + l) * n_components + components[product]]));
        return values;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      output(const std::size_t i, const int product, const T &values) const
      {
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          y[(i + l) * n_components + components[product]] = get_lane(values, l);
      }
    };

    /// Write the diagonals of the matrices to `y`.
    template <typename Number>
    struct Diagonal
    {
      int           n_modes;
      const Number *matrices;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        store(read<T>(matrices + position(block, entry(row, row), entry(n_modes, 0), lane)),
              y + position(block, row, n_modes, lane));
      }
    };

    /// `y = factor x` with a factor for each element, `[block][l]`.
    template <typename Number>
    struct Scale
    {
      int           n_modes, n_components;
      const Number *factors, *x;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes * n_components;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t i = position(block, row, n_rows(), lane);
        const std::size_t f = position(block, row % n_components, n_components, lane);
        store(read<T>(factors + f) * read<T>(x + i), y + i);
      }
    };

    /// Write the first modes of a vector with `n_fine` modes to one with `n_coarse`.
    template <typename Number>
    struct Truncate
    {
      int           n_fine, n_coarse;
      const Number *fine;
      Number       *coarse;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_coarse;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        store(read<T>(fine + position(block, row, n_fine, lane)),
              coarse + position(block, row, n_coarse, lane));
      }
    };

    /// Add a vector with `n_coarse` modes, times a factor, to the first modes of one with `n_fine`.
    template <typename Number>
    struct AddTruncated
    {
      int           n_fine, n_coarse;
      Number        factor;
      const Number *coarse;
      Number       *fine;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_coarse;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        Number *to = fine + position(block, row, n_fine, lane);
        store(read<T>(to) + T(factor) * read<T>(coarse + position(block, row, n_coarse, lane)), to);
      }
    };

    /// Write a component of a vector, `[block][m][l][c]`, to a scalar one of any precision.
    template <typename Number>
    struct ExtractComponent
    {
      int           n_modes, n_components, component;
      const double *from;
      Number       *to;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t first = position(block, row, n_modes, lane);
        T                 values;
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          set_lane(values, l, static_cast<Number>(from[(first + l) * n_components + component]));
        store(values, to + first);
      }
    };

    /// The way back.
    template <typename Number>
    struct InsertComponent
    {
      int           n_modes, n_components, component;
      const Number *from;
      double       *to;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t first  = position(block, row, n_modes, lane);
        const T           values = read<T>(from + first);
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          to[(first + l) * n_components + component] = get_lane(values, l);
      }
    };

    /// The means of the components of a vector over an element and the sums of the squares of their
    /// coefficients, to `means` and `squares`, `[c][e]`.
    template <typename Number>
    struct MeansAndSquares
    {
      int           n_elements, n_modes, n_components;
      double        mean; ///< of mode 0; the other modes' is zero
      const Number *u;    ///< see coefficient_index()
      double       *means, *squares;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_components;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int c, const int lane) const
      {
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          if (const int element = block * block_size + lane + l; element < n_elements)
            of_element(element, c);
      }

    private:
      SALTUS_HOST_DEVICE
      void
      of_element(const int element, const int c) const
      {
        const Number *first  = u + coefficient_index(element, 0, n_modes, n_components) + c;
        double        square = 0;
        for (int m = 0; m < n_modes; ++m)
          {
            const double coefficient = first[m * mode_stride(n_components)];
            square += coefficient * coefficient;
          }
        const std::size_t i = static_cast<std::size_t>(c) * n_elements + element;
        means[i]            = mean * first[0];
        squares[i]          = square;
      }
    };

    /// \f$ b_m \mathrel{+}= scale\, factor \sum_q w_q\, \phi_m(x_q) f_q \f$ with the table `[q][m]`
    /// of the modes, factors `[block][l][c]`, and the values f, `[block][q][l][c]`.
    template <typename Number>
    struct Integrate
    {
      int           n_modes, n_points, n_components;
      const Number *table, *weights, *factors, *values;
      Number        scale;
      Number       *b;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes * n_components;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int m = row / n_components, part = row % n_components;
        T         sum = T(Number(0));
        for (int q = 0; q < n_points; ++q)
          sum = sum +
                T(scale * weights[q] * table[q * n_modes + m]) *
                  read<T>(values +
                          position(block, q * n_components + part, n_points * n_components, lane));
        Number *to = b + position(block, row, n_rows(), lane);
        store(read<T>(to) + read<T>(factors + position(block, part, n_components, lane)) * sum, to);
      }
    };
  } // namespace ElementOperation

  template <typename... Operations>
  struct ElementOperationList
  {
    /// Call `BackEnd::template enrol<Operation>()` for each of them.
    template <typename BackEnd>
    static bool
    enrol()
    {
      return (BackEnd::template enrol<Operations>() && ...);
    }
  };

  /// Those of this folder.
  template <typename Number>
  using BlockOperations = ElementOperationList<ElementOperation::SetColumn<Number>,
                                               ElementOperation::Invert<Number>,
                                               ElementOperation::Multiply<Number>,
                                               ElementOperation::Round<Number>,
                                               ElementOperation::MultiplyRounded<Number>,
                                               ElementOperation::MultiplyRoundedComponents<Number>,
                                               ElementOperation::Diagonal<Number>,
                                               ElementOperation::Scale<Number>,
                                               ElementOperation::Truncate<Number>,
                                               ElementOperation::AddTruncated<Number>,
                                               ElementOperation::ExtractComponent<Number>,
                                               ElementOperation::InsertComponent<Number>,
                                               ElementOperation::MeansAndSquares<Number>,
                                               ElementOperation::Integrate<Number>>;

  /// Where compiled operations are enrolled.
  template <typename Operation>
  struct ElementOperationRegistry
  {
    using Function = void (*)(const int n_elements, const Operation &operation);

    static inline Function cuda   = nullptr;
    static inline Function cpu[5] = {}; ///< by level of the vector instruction set
  };

  /// Perform an operation on all elements, whose arrays are on @p device.
  template <typename Operation>
  void
  apply_to_elements(const Device device, const int n_elements, const Operation &operation)
  {
    if (n_elements == 0)
      return;
    using Registry = ElementOperationRegistry<Operation>;
    device.make_current();
    const auto function =
      device.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
    function(n_elements, operation);
  }
} // namespace Saltus

#endif
