// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_kernels_h
#define saltus_operators_blocks_element_kernels_h

#include <saltus/base/device/launch.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/blocks/element_entries.h>
#include <saltus/operators/blocks/rounded_block.h>
#include <saltus/physics/stage_update.h>

#include <type_traits>

/// Work that every element does for itself, on coefficient vectors and on symmetric matrices, one
/// an element, of which the lower triangles are stored: `[block][i][l]`, where entry (row, column)
/// has `i = row (row + 1) / 2 + column`. A matrix has a row for each mode and component, `[m][c]`.
///
/// What there is to do in rows of vectors has the type of `Rows` as an argument: FullRows for those
/// whose numbers stand together, which is fastest, ComponentRows for any; see with_rows().
///
/// An operation is a struct of sizes and pointers. `run<T>(block, row, lane)` does its work for one
/// row, of `n_rows()`, in the lanes from `lane` on that make up a number `T`. Rows do not depend on
/// each other. A new operation also needs a place in the list of its folder, since the CPU back end
/// compiles these lists. GPU code is compiled when a run first needs it. Then launch() does the
/// operation for elements.
namespace Saltus
{
  namespace ElementOperation
  {
    /// Write the part of one column that is stored to all matrices.
    template <typename Number, typename Rows = FullRows>
    struct SetColumn
    {
      Rows          rows;
      int           column;
      const Number *values;
      Number       *matrices;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows() - column;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int i, const int lane) const
      {
        const int row = column + i, n = rows.n_rows();
        if (row < n)
          store(rows.template read<T>(values + rows.start(block, lane), row),
                matrices + position(block, entry(row, column), entry(n, 0), lane));
      }
    };

    /// Replace positive definite matrices by their inverses; zeros stay. By the sweep operator,
    /// pivot after pivot (Goodnight, Amer. Statist. 33, 1979). A positive definite matrix needs no
    /// other order of the pivots.
    template <typename Number>
    struct Invert
    {
      int     size; ///< rows of a matrix
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
        Number    *first = matrices + position(block, 0, entry(size, 0), lane);
        const auto at    = [&](const int i, const int j) {
          return first + (i > j ? ElementOperation::entry(i, j) : ElementOperation::entry(j, i)) *
                           block_size;
        };
        for (int k = 0; k < size; ++k)
          {
            const T zero  = T(Number(0)); // where there is no element
            const T entry = read<T>(at(k, k));
            const T pivot = select(entry == zero, zero, T(Number(1)) / entry);
            for (int i = 0; i < size; ++i)
              {
                if (i == k)
                  continue;
                const T factor = read<T>(at(i, k)) * pivot;
                for (int j = 0; j <= i; ++j)
                  if (j != k)
                    store(read<T>(at(i, j)) - factor * read<T>(at(j, k)), at(i, j));
              }
            for (int i = 0; i < size; ++i)
              if (i != k)
                store(read<T>(at(i, k)) * pivot, at(i, k));
            store(-pivot, at(k, k));
          }
        for (int i = 0; i < entry(size, 0); ++i)
          store(-read<T>(first + i * block_size), first + i * block_size);
      }
    };

    /// `y = A x`
    template <typename Number, typename Rows = FullRows>
    struct Multiply
    {
      Rows          rows;
      const Number *matrices, *x;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int         n     = n_rows();
        const std::size_t start = rows.start(block, lane);
        const Number     *first = matrices + position(block, 0, entry(n, 0), lane);
        T                 sum   = T(Number(0));
        for (int j = 0; j < row; ++j)
          sum =
            sum + read<T>(first + entry(row, j) * block_size) * rows.template read<T>(x + start, j);
        for (int j = row; j < n; ++j)
          sum =
            sum + read<T>(first + entry(j, row) * block_size) * rows.template read<T>(x + start, j);
        rows.write(sum, y + start, row);
      }
    };

    /// Round positive definite matrices to 16 bits, see RoundedBlock; zeros stay.
    template <typename Number>
    struct Round
    {
      int           size; ///< rows of a matrix
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
        const Number  shrink  = 1 - Number(size) / (2 * RoundedBlock::scale);
        const int     n_words = RoundedBlock::n_words(size);
        const Number *matrix =
          matrices + position(block, 0, ElementOperation::entry(size, 0), lane);
        Number       *d  = scaling + position(block, 0, size, lane);
        unsigned int *to = words + position(block, 0, n_words, lane);
        for (int i = 0; i < size; ++i)
          d[i * block_size] = sqrt(matrix[ElementOperation::entry(i, i) * block_size]);
        for (int w = 0; w < n_words; ++w)
          to[w * block_size] = 0;
        for (int i = 1; i < size; ++i)
          for (int j = 0; j < i; ++j)
            {
              const Number largest = d[i * block_size] * d[j * block_size];
              const Number entry   = matrix[ElementOperation::entry(i, j) * block_size];
              const int    e       = RoundedBlock::entry(i, j);
              to[e / 2 * block_size] |=
                RoundedBlock::encode(largest > Number(0) ? shrink * entry / largest : Number(0),
                                     e % 2);
            }
      }
    };

    /// Launch products with rounded matrices. In single precision, each thread does a whole product
    /// of at most @p max_size rows in registers. Otherwise it does a row.
    template <typename Number, typename Operation, typename Launch>
    void
    launch_products(const std::size_t n_elements,
                    const Operation  &operation,
                    const int         max_size,
                    const Launch     &launch)
    {
      if (sizeof(Number) == sizeof(float) && operation.size() <= max_size)
        launch("RoundedProductProgram",
               static_cast<std::size_t>(n_blocks(n_elements)) * operation.n_products(),
               operation,
               operation.size());
      else
        launch(n_elements, operation);
    }

    /// `y = x + a A r` with matrices that were rounded; without x: `y = a A r`.
    template <typename Number, typename Rows = FullRows>
    struct MultiplyRounded
    {
      Rows                       rows;
      Number                     a;
      RoundedBlockArrays<Number> matrices;
      const Number              *r, *x;
      Number                    *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int           n       = n_rows();
        const std::size_t   first   = rows.start(block, lane);
        const Number       *scaling = matrices.scaling + position(block, 0, n, lane);
        const unsigned int *words =
          matrices.words + position(block, 0, RoundedBlock::n_words(n), lane);
        const auto scaled = [&](const int i) {
          return read<T>(scaling + i * block_size) * input<T>(first, i);
        };
        T sum = T(Number(0));
        for (int j = 0; j < n; ++j)
          if (j != row)
            {
              const int  e    = row > j ? RoundedBlock::entry(row, j) : RoundedBlock::entry(j, row);
              const auto word = LaneWords<T>::load(words + e / 2 * block_size);
              sum             = sum + RoundedBlock::decode<T>(word, e % 2) * scaled(j);
            }
        output(first,
               row,
               read<T>(scaling + row * block_size) *
                 (scaled(row) + T(Number(1) / RoundedBlock::scale) * sum));
      }

      template <typename Launch>
      void
      launch_on_gpu(const std::size_t n_elements, const Launch &launch) const
      {
        launch_products<Number>(n_elements, *this, std::is_same_v<Rows, FullRows> ? 28 : 0, launch);
      }

      // What products with whole matrices need, of which each element has one here.

      SALTUS_HOST_DEVICE
      int
      size() const
      {
        return rows.n_rows();
      }

      SALTUS_HOST_DEVICE
      int
      n_products() const
      {
        return 1;
      }

      /// Where what is multiplied begins, in full rows.
      /// @param n the size
      SALTUS_HOST_DEVICE
      std::size_t
      start(const int n, const int block, const int lane, const int) const
      {
        return position(block, 0, n, lane);
      }

      /// What is multiplied, from the start @p first.
      template <typename T>
      SALTUS_HOST_DEVICE
      T
      input(const std::size_t first, const int row) const
      {
        return rows.template read<T>(r + first, row);
      }

      /// Take what comes out.
      template <typename T>
      SALTUS_HOST_DEVICE
      void
      output(const std::size_t first, const int row, const T &product) const
      {
        const T result = T(a) * product;
        rows.write(x != nullptr ? rows.template read<T>(x + first, row) + result : result,
                   y + first,
                   row);
      }
    };

    /// `y = A r` for some components of vectors with several ones, with matrices that were rounded
    /// and that these components share; the other components of y stay.
    template <typename Number>
    struct MultiplyRoundedComponents
    {
      static constexpr int max_selected = 5;

      int                        n_modes, n_components;
      Array<int, max_selected>   components;
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
      run(const int block, const int product, const int lane) const
      {
        const std::size_t   first = start(n_modes, block, lane, product);
        const unsigned int *words =
          matrices.words + position(block, 0, RoundedBlock::n_words(n_modes), lane);
        T x[RoundedBlock::max_rows];
        for (int m = 0; m < n_modes; ++m)
          x[m] = input<T>(first, m);
        RoundedBlock::multiply(n_modes,
                               matrices.scaling + position(block, 0, n_modes, lane),
                               words,
                               x);
        for (int m = 0; m < n_modes; ++m)
          output(first, m, x[m]);
      }

      template <typename Launch>
      void
      launch_on_gpu(const std::size_t n_elements, const Launch &launch) const
      {
        launch_products<Number>(n_elements, *this, 45, launch);
      }

      // See MultiplyRounded.

      SALTUS_HOST_DEVICE
      int
      size() const
      {
        return n_modes;
      }

      SALTUS_HOST_DEVICE
      int
      n_products() const
      {
        return n_selected;
      }

      SALTUS_HOST_DEVICE
      std::size_t
      start(const int n, const int block, const int lane, const int product) const
      {
        return CoefficientLayout{n, n_components}.index(block * block_size + lane,
                                                        0,
                                                        components[product]);
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      T
      input(const std::size_t first, const int m) const
      {
        return read_component<T, Number>(layout(), r + first, m);
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      output(const std::size_t first, const int m, const T &values) const
      {
        write_component<T, Number>(layout(), values, y + first, m);
      }

    private:
      SALTUS_HOST_DEVICE
      CoefficientLayout
      layout() const
      {
        return {n_modes, n_components};
      }
    };

    /// Write the diagonals of the matrices to `y`.
    template <typename Number, typename Rows = FullRows>
    struct Diagonal
    {
      Rows          rows;
      const Number *matrices;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        rows.write(read<T>(matrices + position(block, entry(row, row), entry(n_rows(), 0), lane)),
                   y + rows.start(block, lane),
                   row);
      }
    };

    /// `y = factor x` with a factor for each element and component, `[block][l][c]`.
    template <typename Number, typename Rows = FullRows>
    struct Scale
    {
      Rows          rows, of_factors; ///< the latter as many as one mode has
      const Number *factors, *x;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t first = rows.start(block, lane);
        const T factor = of_factors.template read<T>(factors + of_factors.start(block, lane),
                                                     row % of_factors.n_rows());
        rows.write(factor * rows.template read<T>(x + first, row), y + first, row);
      }
    };

    /// The update of a Runge-Kutta stage by itself, see StageCoefficients.
    template <typename Number>
    struct UpdateStage
    {
      ComponentRows       rows;
      StageUpdate<Number> by; ///< for a step of length 1
      bool                has_base, accumulates, reads_accumulator;
      const double       *step;  ///< of all elements; where it is 0, they have none of their own
      const Number       *steps; ///< `[block][l]`: the elements' own; nullptr: they have none
      const Number       *r, *u, *base;
      Number             *accumulator;
      Number             *out; ///< may be u or base

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const std::size_t start    = rows.start(block, lane);
        const auto        read_row = [&](const Number *x) {
          return rows.template read<T>(x + start, row);
        };
        const auto read_row_if = [&](const bool is_read, const Number *x) {
          return is_read ? read_row(x) : T(Number(0));
        };
        T change = T(Number(0)), s = T(Number(0));
        if (steps == nullptr)
          change = T(Number(*step)) * read_row(r);
        else if (*step != 0)
          change = read<T>(steps + position(block, 0, 1, lane)) * read_row(r);
        if (accumulates)
          {
            s = by.accumulator(read_row_if(reads_accumulator, accumulator), change);
            rows.write(s, accumulator + start, row);
          }
        rows.write(by.state(read_row(u), read_row_if(has_base, base), change, s), out + start, row);
      }
    };

    /// Write the first modes of a vector to one that has fewer.
    template <typename Number, typename Rows = FullRows>
    struct Truncate
    {
      Rows          of_fine, of_coarse;
      const Number *fine;
      Number       *coarse;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return of_coarse.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        of_coarse.write(of_fine.template read<T>(fine + of_fine.start(block, lane), row),
                        coarse + of_coarse.start(block, lane),
                        row);
      }
    };

    /// Add a vector, times a factor, to the first modes of one that has more.
    template <typename Number, typename Rows = FullRows>
    struct AddTruncated
    {
      Rows          of_fine, of_coarse;
      Number        factor;
      const Number *coarse;
      Number       *fine;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return of_coarse.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        Number *to = fine + of_fine.start(block, lane);
        of_fine.write(of_fine.template read<T>(to, row) +
                        T(factor) *
                          of_coarse.template read<T>(coarse + of_coarse.start(block, lane), row),
                      to,
                      row);
      }
    };

    /// `y = a A x + b y` with one matrix from modes to modes for all elements and components. Where
    /// b is 0, y need not be set.
    template <typename Number, typename Rows = FullRows>
    struct MultiplyByOne
    {
      Rows          of_y, of_x;
      int           n_components;              ///< of either
      int           row_stride, column_stride; ///< of the matrix
      const Number *matrix;
      Number        a, b;
      const Number *x;
      Number       *y;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return of_y.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int     m = row / n_components, c = row % n_components;
        const Number *from = x + of_x.start(block, lane);
        T             sum  = T(Number(0));
        for (int k = 0; k * n_components < of_x.n_rows(); ++k)
          sum = sum + T(a * matrix[m * row_stride + k * column_stride]) *
                        of_x.template read<T>(from, k * n_components + c);
        Number *to = y + of_y.start(block, lane);
        of_y.write(b == 0 ? sum : T(b) * of_y.template read<T>(to, row) + sum, to, row);
      }
    };

    /// Write a component of a vector to a scalar one of any precision.
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
        const CoefficientLayout layout{n_modes, n_components};
        store(read_component<T, Number>(
                layout, from + layout.index(block * block_size + lane, 0, component), row),
              to + position(block, row, n_modes, lane));
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
        const CoefficientLayout layout{n_modes, n_components};
        write_component<T, Number>(layout,
                                   read<T>(from + position(block, row, n_modes, lane)),
                                   to + layout.index(block * block_size + lane, 0, component),
                                   row);
      }
    };

    /// The means of the components of a vector over an element, and the integrals of their squares
    /// over its mean of \f$ |\det J| \f$, to `means` and `squares`, `[c][e]`. In affine elements
    /// the latter are the sums of the squares of the coefficients; in others a rule is used.
    template <typename Number>
    struct MeansAndSquares
    {
      int           n_elements, n_modes, n_components;
      int           n_mean_modes;
      const Number *mean; ///< weights of the first modes; the other modes' are zero

      StoredArrays<Number> stored;  ///< of elements that are not affine
      const Number        *table;   ///< `[q][m]`: modes at the points of these
      const Number        *weights; ///< `[q]`: their sum is `reference_volume`
      Number               reference_volume;

      const Number *u; ///< see CoefficientLayout
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
        for (int l = 0; l < n_lanes<T, Number>; ++l)
          if (const int element = block * block_size + lane + l; element < n_elements)
            stored.holds(element) ? of_stored_element(element, c) : of_affine_element(element, c);
      }

    private:
      SALTUS_HOST_DEVICE
      void
      of_stored_element(const int element, const int c) const
      {
        const CoefficientLayout layout{n_modes, n_components};
        const Number           *first = u + layout.index(element, 0, c);
        double                  mean = 0, square = 0;
        for (int q = 0; q < stored.n_volume_points; ++q)
          {
            double value = 0;
            for (int m = 0; m < n_modes; ++m)
              value += table[q * n_modes + m] * first[m * layout.mode_stride()];
            const double weight =
              weights[q] *
              stored.factors[point_index(
                element - stored.first_block * block_size, q, stored.n_volume_points, 1)];
            mean += weight * value;
            square += weight * value * value;
          }
        const std::size_t i = static_cast<std::size_t>(c) * n_elements + element;
        means[i]            = mean / reference_volume;
        squares[i]          = square;
      }

      SALTUS_HOST_DEVICE
      void
      of_affine_element(const int element, const int c) const
      {
        const CoefficientLayout layout{n_modes, n_components};
        const Number           *first  = u + layout.index(element, 0, c);
        double                  square = 0;
        for (int m = 0; m < n_modes; ++m)
          {
            const double coefficient = first[m * layout.mode_stride()];
            square += coefficient * coefficient;
          }
        const std::size_t i = static_cast<std::size_t>(c) * n_elements + element;
        means[i]            = mean[0] * first[0];
        for (int m = 1; m < n_mean_modes; ++m)
          means[i] += mean[m] * first[m * layout.mode_stride()];
        squares[i] = square;
      }
    };

    /// \f$ b_m \mathrel{+}= scale\, factor \sum_q w_q\, \phi_m(x_q) f_q \f$ with the table `[q][m]`
    /// of the modes, factors `[block][l][c]`, and the values f, `[block][q][l][c]`.
    template <typename Number, typename Rows = FullRows>
    struct Integrate
    {
      Rows          rows, of_point; ///< the latter those of a point
      int           n_modes, n_points;
      const Number *table, *weights, *factors, *values;
      Number        scale;
      Number       *b;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int     n_parts = of_point.n_rows(), m = row / n_parts, part = row % n_parts;
        const Number *of_block = values + position(block, 0, n_points * n_parts, 0);
        const Number *first    = of_block + of_point.start(0, lane);
        T             sum      = T(Number(0));
        for (int q = 0; q < n_points; ++q)
          sum = sum + T(scale * weights[q] * table[q * n_modes + m]) *
                        of_point.template read<T>(first + q * n_parts * block_size, part);
        Number *to = b + rows.start(block, lane);
        rows.write(rows.template read<T>(to, row) +
                     of_point.template read<T>(factors + of_point.start(block, lane), part) * sum,
                   to,
                   row);
      }
    };

    /// \f$ y_m = \sum_q w_q \phi_m(q) f(q) \sum_n \phi_n(q) x_n \f$ for every component, in the
    /// blocks from number `first_block` on: as many rows do the same sums over n.
    template <typename Number>
    struct MultiplyAtPoints
    {
      ComponentRows rows;
      int           first_block;
      int           n_modes, n_points;
      const Number *table, *weights; ///< `[q][m]`, `[q]`
      const Number *factors;         ///< f, `[block][q][l]`, of these blocks
      const Number *x;
      Number       *y; ///< must differ from x

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return rows.n_rows();
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int row, const int lane) const
      {
        const int     n_parts = rows.n_rows() / n_modes, m = row / n_parts, part = row % n_parts;
        const Number *from = x + rows.start(first_block + block, lane);
        T             sum  = T(Number(0));
        for (int q = 0; q < n_points; ++q)
          {
            const Number *values = table + q * n_modes;
            T             value  = T(Number(0));
            for (int n = 0; n < n_modes; ++n)
              value = value + T(values[n]) * rows.template read<T>(from, n * n_parts + part);
            sum = sum + T(weights[q] * values[m]) *
                          read<T>(factors + position(block, q, n_points, lane)) * value;
          }
        rows.write(sum, y + rows.start(first_block + block, lane), row);
      }
    };
  } // namespace ElementOperation

  /// Those of this folder.
  template <typename Number>
  using BlockOperations =
    WorkList<ElementOperation::SetColumn<Number>,
             ElementOperation::SetColumn<Number, ElementOperation::ComponentRows>,
             ElementOperation::Invert<Number>,
             ElementOperation::Multiply<Number>,
             ElementOperation::Multiply<Number, ElementOperation::ComponentRows>,
             ElementOperation::Round<Number>,
             ElementOperation::MultiplyRounded<Number>,
             ElementOperation::MultiplyRounded<Number, ElementOperation::ComponentRows>,
             ElementOperation::MultiplyRoundedComponents<Number>,
             ElementOperation::Diagonal<Number>,
             ElementOperation::Diagonal<Number, ElementOperation::ComponentRows>,
             ElementOperation::Scale<Number>,
             ElementOperation::Scale<Number, ElementOperation::ComponentRows>,
             ElementOperation::UpdateStage<Number>,
             ElementOperation::Truncate<Number>,
             ElementOperation::Truncate<Number, ElementOperation::ComponentRows>,
             ElementOperation::AddTruncated<Number>,
             ElementOperation::AddTruncated<Number, ElementOperation::ComponentRows>,
             ElementOperation::MultiplyByOne<Number>,
             ElementOperation::MultiplyByOne<Number, ElementOperation::ComponentRows>,
             ElementOperation::ExtractComponent<Number>,
             ElementOperation::InsertComponent<Number>,
             ElementOperation::MultiplyAtPoints<Number>,
             ElementOperation::MeansAndSquares<Number>,
             ElementOperation::Integrate<Number>,
             ElementOperation::Integrate<Number, ElementOperation::ComponentRows>>;

  /// Call @p body with FullRows or ComponentRows.
  template <typename Body>
  void
  with_rows(const bool full, const Body &body)
  {
    if (full)
      body(ElementOperation::FullRows());
    else
      body(ElementOperation::ComponentRows());
  }
} // namespace Saltus

#endif
