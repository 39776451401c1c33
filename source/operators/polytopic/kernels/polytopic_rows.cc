// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Rows of polytopic elements with one set of vector instructions: a lane a point. Values of all
// modes at some points are gathered, and their products added in the registers.
#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

#include <algorithm>
#include <vector>

namespace
{
  using namespace Saltus;

  constexpr int width    = vector_bytes / sizeof(double);
  constexpr int max_lots = 64 / width; ///< of lanes, gathered at once

  using T = Pack<double, width>;

  constexpr int
  round_up(const int n, const int unit)
  {
    return (n + unit - 1) / unit * unit;
  }

  /// Products that are in registers at once.
  template <int n_columns_, int n_rows_>
  struct Tile
  {
    static constexpr int n_columns = n_columns_, n_rows = n_rows_;

    /// How many products are computed of so many columns and rows.
    static int
    n_products(const int columns, const int rows)
    {
      return round_up(columns, n_columns) * round_up(rows, n_rows);
    }
  };

  /// The first has more products for what it reads, the second fills 10 columns and rows.
  using WideTile   = Tile<4, 3>;
  using NarrowTile = Tile<5, 2>;

  constexpr int largest_unit = 5; ///< of columns or rows

  inline double
  sum_of_lanes(const T &a)
  {
    double sum = 0;
    for (int lane = 0; lane < width; ++lane)
      sum += a.v[lane];
    return sum;
  }

  /// The point at place @p q; lanes from @p n on are zero.
  template <typename Point>
  Point
  read_point(const PointRecords &records, const std::size_t q, const int n)
  {
    if (n >= width)
      return {records, q};
    double numbers[Point::n_numbers * width] = {};
    for (int i = 0; i < Point::n_numbers; ++i)
      for (int lane = 0; lane < n; ++lane)
        numbers[i * width + lane] = records.values[i * records.n_points + q + lane];
    return {PointRecords{width, numbers}, 0};
  }

  /// Call `take(m, value, gradient)` for all modes of an element at a place in its box.
  template <int dim, typename Take>
  void
  for_modes(const PolytopicElements<dim> &elements,
            const int                     element,
            const Array<T, dim>          &xi,
            const Take                   &take)
  {
    T value[dim][max_legendre_degree + 1], slope[dim][max_legendre_degree + 1];
    for (int d = 0; d < dim; ++d)
      {
        const T factor = T(d == 0 ? elements.scales[element] : 1.);
        legendre(elements.degrees[element], xi[d], [&](const int k, const T &p, const T &s) {
          value[d][k] = factor * p;
          slope[d][k] = factor * s;
        });
      }
    const int n_modes = elements.n_modes(element);
    for (int m = 0; m < n_modes; ++m)
      {
        const unsigned char *powers = elements.powers + m * dim;
        Array<T, dim>        gradient;
        T                    product = T(1.);
        for (int d = 0; d < dim; ++d)
          product = product * value[d][powers[d]];
        for (int d = 0; d < dim; ++d)
          {
            gradient[d] = slope[d][powers[d]];
            for (int e = 0; e < dim; ++e)
              if (e != d)
                gradient[d] = gradient[d] * value[e][powers[e]];
          }
        take(m, product, gradient);
      }
  }

  /// Functions of all modes at some points: `[mode][lot of points][number]`.
  class Operand
  {
  public:
    /// Room for @p n_modes, and zeros for those that fill up tiles.
    void
    reinit(const int n_modes, const int n_numbers)
    {
      stride = n_numbers;
      values.resize((n_modes + largest_unit - 1) * stride);
      std::fill(values.begin() + n_modes * stride, values.end(), T(0.));
    }

    template <int n>
    void
    set(const int m, const int lot, const Array<T, n> &numbers)
    {
      for (int c = 0; c < n; ++c)
        values[m * stride + lot * n + c] = numbers[c];
    }

    const T *
    operator[](const int m) const
    {
      return values.data() + m * stride;
    }

  private:
    int            stride = 0;
    std::vector<T> values;
  };

  /// Add the products of @p n numbers of the trial and test functions to a block.
  /// @param first the first of those of the test functions
  template <typename Tile>
  void
  add_tiles(const Operand &trial,
            const int      n_columns,
            const Operand &test,
            const int      n_rows,
            const int      first,
            const int      n,
            double        *block)
  {
    for (int j0 = 0; j0 < n_columns; j0 += Tile::n_columns)
      for (int i0 = 0; i0 < n_rows; i0 += Tile::n_rows)
        {
          T        sums[Tile::n_columns][Tile::n_rows];
          const T *a[Tile::n_columns], *b[Tile::n_rows];
          for (int j = 0; j < Tile::n_columns; ++j)
            a[j] = trial[j0 + j];
          for (int i = 0; i < Tile::n_rows; ++i)
            b[i] = test[i0 + i] + first;
          for (int j = 0; j < Tile::n_columns; ++j)
            for (int i = 0; i < Tile::n_rows; ++i)
              sums[j][i] = T(0.);
          for (int k = 0; k < n; ++k)
            for (int j = 0; j < Tile::n_columns; ++j)
              for (int i = 0; i < Tile::n_rows; ++i)
                sums[j][i] = sums[j][i] + a[j][k] * b[i][k];
          for (int j = 0; j < std::min(Tile::n_columns, n_columns - j0); ++j)
            for (int i = 0; i < std::min(Tile::n_rows, n_rows - i0); ++i)
              block[(j0 + j) * n_rows + i0 + i] += sum_of_lanes(sums[j][i]);
        }
  }

  /// The same by the tile that is the faster one for so many columns and rows.
  void
  add_products(const Operand &trial,
               const int      n_columns,
               const Operand &test,
               const int      n_rows,
               const int      first,
               const int      n,
               double        *block)
  {
    if (1.05 * NarrowTile::n_products(n_columns, n_rows) < WideTile::n_products(n_columns, n_rows))
      add_tiles<NarrowTile>(trial, n_columns, test, n_rows, first, n, block);
    else
      add_tiles<WideTile>(trial, n_columns, test, n_rows, first, n, block);
  }

  /// What one thread needs for one row after the other.
  template <int dim>
  class RowAssembly
  {
  public:
    explicit RowAssembly(const AssembleRows<dim> &rows)
      : rows(rows)
    {}

    void
    run(const int e)
    {
      element  = e;
      n_rows   = rows.elements.n_modes(e);
      diagonal = rows.values + rows.block_starts[rows.row_starts[e + 1] - 1];
      for (int b = rows.row_starts[e]; b < rows.row_starts[e + 1]; ++b)
        {
          double *block = rows.values + rows.block_starts[b];
          std::fill(block, block + n_rows * rows.elements.n_modes(rows.columns[b]), 0.);
        }
      gather(VolumePoint<dim, T>::n_products);
      for_lots(rows.volume_starts + e, [&](const std::size_t q, const int n) {
        add_points(VolumePoint<dim, T>(), rows.volume, q, n);
      });
      finish();
      // Own products of several interfaces are added together.
      gather(FacetPoint<dim, T>::n_products);
      for (int b = rows.row_starts[e]; b < rows.row_starts[e + 1]; ++b)
        for_lots(rows.face_starts + b, [&](const std::size_t q, const int n) {
          const int first = n_lots;
          add_points(FacetPoint<dim, T>(), rows.faces, q, n);
          if (rows.columns[b] != e)
            add_across(b, q, n, first);
        });
      finish();
    }

  private:
    /// Begin with no points, for so many products a point.
    void
    gather(const int n)
    {
      n_products = n;
      n_lots     = 0;
      test.reinit(n_rows, max_lots * n);
      trial.reinit(n_rows, max_lots * n);
    }

    /// Add the products of what was gathered to the diagonal block.
    void
    finish()
    {
      add_products(trial, n_rows, test, n_rows, 0, n_lots * n_products, diagonal);
      n_lots = 0;
    }

    /// Call `add(first, n)` for as many of the points between two starts as there is room for at
    /// once.
    template <typename Add>
    void
    for_lots(const std::size_t *starts, const Add &add)
    {
      for (std::size_t q = starts[0]; q < starts[1];)
        {
          if (n_lots == max_lots)
            finish();
          const std::size_t room = (max_lots - n_lots) * width;
          const int         n    = std::min(starts[1] - q, room);
          add(q, n);
          q += n;
        }
    }

    /// The element's own functions at @p n points.
    template <typename Point>
    void
    add_points(const Point &, const PointRecords &records, const std::size_t first, const int n)
    {
      for (int i = 0; i < n; i += width, ++n_lots)
        {
          const auto point = read_point<Point>(records, first + i, n - i);
          for_modes<dim>(rows.elements,
                         element,
                         point.xi,
                         [&](const int m, const T &value, const Array<T, dim> &gradient) {
                           test.set(m, n_lots, point.test(value, gradient));
                           trial.set(m, n_lots, point.trial(value, gradient));
                         });
        }
    }

    /// The block of a neighbour, whose points are gathered from lot @p lot on.
    void
    add_across(const int b, const std::size_t first, const int n, const int lot)
    {
      using Point         = FacetPoint<dim, T>;
      const int neighbor  = rows.columns[b];
      const int n_columns = rows.elements.n_modes(neighbor);
      trial_across.reinit(n_columns, max_lots * Point::n_products);
      int here = 0;
      for (int i = 0; i < n; i += width, ++here)
        {
          const auto point = read_point<Point>(rows.faces, first + i, n - i);
          for_modes<dim>(rows.elements,
                         neighbor,
                         point.xi_across,
                         [&](const int m, const T &value, const Array<T, dim> &gradient) {
                           trial_across.set(m, here, point.trial_across(value, gradient));
                         });
        }
      add_products(trial_across,
                   n_columns,
                   test,
                   n_rows,
                   lot * Point::n_products,
                   here * Point::n_products,
                   rows.values + rows.block_starts[b]);
    }

    const AssembleRows<dim> &rows;

    int     element = 0, n_rows = 0, n_products = 0;
    int     n_lots   = 0; ///< that are gathered
    double *diagonal = nullptr;
    Operand test, trial, trial_across;
  };

  template <int dim>
  void
  run(const int begin, const int end, const AssembleRows<dim> &rows)
  {
    RowAssembly<dim> assembly(rows);
    for (int e = begin; e < end; ++e)
      assembly.run(e);
  }

  template <int dim>
  void
  run(const int begin, const int end, const LoadRows<dim> &rows)
  {
    std::vector<T> sums;
    for (int e = begin; e < end; ++e)
      {
        const int last = rows.row_starts[e + 1] - 1;
        sums.assign(rows.elements.n_modes(e), T(0.));
        const auto for_points = [&](const std::size_t *starts, const auto &add) {
          for (std::size_t q = starts[0]; q < starts[1]; q += width)
            add(q, static_cast<int>(std::min<std::size_t>(width, starts[1] - q)));
        };
        if (rows.source != nullptr)
          for_points(rows.volume_starts + e, [&](const std::size_t q, const int n) {
            const auto point  = read_point<VolumePoint<dim, T>>(rows.volume, q, n);
            T          source = T(0.);
            for (int lane = 0; lane < n; ++lane)
              set_lane(source, lane, rows.source[q + lane]);
            for_modes<dim>(rows.elements,
                           e,
                           point.xi,
                           [&](const int m, const T &value, const Array<T, dim> &) {
                             sums[m] = sums[m] + source * value;
                           });
          });
        if (rows.data != nullptr)
          for_points(rows.face_starts + last, [&](const std::size_t q, const int n) {
            const auto  point = read_point<FacetPoint<dim, T>>(rows.faces, q, n);
            Array<T, 2> data{{T(0.), T(0.)}};
            for (int lane = 0; lane < n; ++lane)
              for (int i = 0; i < 2; ++i)
                set_lane(data[i],
                         lane,
                         rows.boundary.values[i * rows.boundary.n_points + q + lane] *
                           rows.data[q + lane]);
            for_modes<dim>(rows.elements,
                           e,
                           point.xi,
                           [&](const int m, const T &value, const Array<T, dim> &gradient) {
                             sums[m] =
                               sums[m] + data[0] * value - data[1] * dot<dim>(point.flux, gradient);
                           });
          });
        for (std::size_t m = 0; m < sums.size(); ++m)
          rows.dst[rows.first_rows[e] + m] = sum_of_lanes(sums[m]);
      }
  }

  struct Cpu
  {
    template <typename Rows>
    static void
    run_all(const int n_elements, const Rows &rows)
    {
      parallel_for(n_elements,
                   [&](const std::size_t begin, const std::size_t end) { run(begin, end, rows); });
    }

    template <typename Rows>
    static bool
    enrol()
    {
      WorkRegistry<Rows>::cpu[SALTUS_ISA_LEVEL] = &run_all<Rows>;
      return true;
    }
  };

  [[maybe_unused]] const bool enrolled = PolytopicRowWork<SALTUS_DIMENSION>::enrol<Cpu>();
} // namespace
