// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_polytopic_tensor_rows_cuh
#define saltus_cuda_operators_polytopic_tensor_rows_cuh

// Rows of polytopic elements by tensor cores in double precision; of neighbours too, none has more
// than a degree that is known to the compiler: a warp an element, or two of them, each with some
// columns of the blocks. Products are D += A B, see tensor_core.cuh, where rows of A are trial
// functions, columns of B test functions, and what is summed are the products of the form at four
// points:
//
//   A   lane 4 g + t   trial functions 16 i + g and 16 i + 8 + g at point t
//   B   lane 4 n + t   test function 8 j + n at point t
//   D   lane 4 g + t   entries of trial functions g, g + 8 with test functions 2 t, 2 t + 1
//
// Both operands are made in registers, from tables in shared memory:
//
//   T   [step][slot][4 points]      value and slope of the polynomials in one variable; a step is
//                                   four points, the last slot is zero
//   C   [step][number][4 points]    what the form knows of a point besides
//   V   [step][value, flux][mode][4 points]
//                                   of all modes, in the place of T where modes are few
//   N   [number][lane]              of the next points, which come while these are worked on
//
// Where modes are few, those across a facet are more rows of A for the same B: stacked().
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// How the rows of elements of a degree are divided.
  template <int dim, int degree>
  struct RowTiles
  {
    static constexpr int  n          = n_legendre_modes<dim>(degree);
    static constexpr int  n_groups   = divide_up(n, 8);
    static constexpr bool stacked    = n_groups <= 3;
    static constexpr int  n_warps    = n_groups > 5 ? 2 : 1;         ///< of an element
    static constexpr int  n_columns  = divide_up(n_groups, n_warps); ///< groups of a warp
    static constexpr int  n_own      = divide_up(n_groups, 2);       ///< tiles of 16 functions
    static constexpr int  n_tiles    = stacked ? n_groups : n_own;   ///< that are held
    static constexpr int  n_slots    = dim * (degree + 1) + 1;
    static constexpr int  n_numbers  = dim + dim * (dim + 1) / 2 + 1; ///< of C, in elements
    static constexpr int  trace_step = 64 * n_groups + 4; ///< of V; no power of two: banks

    static constexpr int n_table =
      8 * (stacked && trace_step > 8 * n_slots ? trace_step : 8 * n_slots);
    static constexpr int n_coefficients =
      8 * 4 * (n_numbers > 2 * dim + 1 ? n_numbers : 2 * dim + 1);
    /// Whether numbers of the next points are asked for ahead: not where more warps do as well.
    static constexpr bool ahead    = n >= 15;
    static constexpr int  n_ahead  = ahead ? 32 * (dim + n_numbers) : 0;     ///< of N
    static constexpr int  n_shared = n_table + n_coefficients + n_ahead + 4; ///< of a warp
  };


  constexpr int n_row_warps = 4; ///< of a block


  template <int dim, int degree>
  class TensorRows
  {
    using Tiles = RowTiles<dim, degree>;

    static constexpr int n_groups = Tiles::n_groups, n_columns = Tiles::n_columns;
    static constexpr int n_tiles = Tiles::n_tiles, n_slots = Tiles::n_slots;

  public:
    /// @param part which of the element's warps it is
    /// @param shared of this warp
    __device__ __forceinline__
    TensorRows(const AssembleRows<dim> &rows, const int element, const int part, double *shared)
      : rows(rows)
      , element(element)
      , n(rows.elements.n_modes(element))
      , first_group(Tiles::n_warps == 1 ? 0 : ::min(part * n_columns, n_groups - n_columns))
      , lane(threadIdx.x % 32)
      , point(lane % 4)
      , T(reinterpret_cast<double2 *>(shared))
      , C(shared + Tiles::n_table)
      , V(shared)
      , N(shared + Tiles::n_table + Tiles::n_coefficients + lane)
      , scale(rows.elements.scales[element])
    {
#pragma unroll
      for (int g = 0; g < n_groups; ++g)
        all_modes[g] = none();
#pragma unroll
      for (int j = 0; j < n_columns; ++j)
        tests[j] = none();
      for_legendre_modes<dim>(degree, [&](const int m, const Array<int, dim> &powers) {
        const int place = pack(powers);
#pragma unroll
        for (int g = 0; g < n_groups; ++g)
          if (m == 8 * g + lane / 4)
            all_modes[g] = place;
#pragma unroll
        for (int j = 0; j < n_columns; ++j)
          if (m == 8 * (first_group + j) + lane / 4)
            tests[j] = m < n ? place : none();
      });
      clear(0);
    }

    __device__ __forceinline__ void
    run()
    {
      T[(lane / 4 * n_slots + n_slots - 1) * 4 + point] = make_double2(0, 0);
      __syncwarp(); // where there is no volume, others write there next
      if (rows.evolves)
        add_volume<dim - 1>();
      else
        add_volume<dim>();
      const int begin = rows.row_starts[element], end = rows.row_starts[element + 1];
      double   *diagonal = rows.values + rows.block_starts[end - 1];
      if constexpr (Tiles::stacked)
        {
          add_both_sides(begin, end);
          store<0>(diagonal, n);
        }
      else
        {
          add_own_side(begin, end);
          store<0>(diagonal, n);
          add_across(begin, end);
        }
    }

  private:
    /// The place of this lane's function of a group, of an element that has @p n_modes.
    __device__ __forceinline__ int
    mode(const int group, const int n_modes) const
    {
      return 8 * group + lane / 4 < n_modes ? all_modes[group] : none();
    }

    struct Mode
    {
      double value;
      double slope[dim];
    };

    /// Where the factors of a product are in a step of T, of this lane's point.
    __device__ __forceinline__ int
    pack(const Array<int, dim> &powers) const
    {
      int word = 0;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        word |= ((d * (degree + 1) + powers[d]) * 4 + point) << (8 * d);
      return word;
    }

    /// Of no mode: zero.
    __device__ __forceinline__ int
    none() const
    {
      return ((n_slots - 1) * 4 + point) * 0x010101;
    }

    __device__ __forceinline__ Mode
    at(const double2 *step, const int place) const
    {
      double2 factors[dim];
#pragma unroll
      for (int d = 0; d < dim; ++d)
        factors[d] = step[place >> (8 * d) & 255];
      Mode mode;
      if constexpr (dim == 2)
        {
          mode.value    = factors[0].x * factors[1].x;
          mode.slope[0] = factors[0].y * factors[1].x;
          mode.slope[1] = factors[0].x * factors[1].y;
        }
      else
        {
          const double yz = factors[1].x * factors[2].x, xz = factors[0].x * factors[2].x;
          mode.value    = factors[0].x * yz;
          mode.slope[0] = factors[0].y * yz;
          mode.slope[1] = factors[1].y * xz;
          mode.slope[2] = factors[0].x * factors[1].x * factors[2].y;
        }
      return mode;
    }

    /// Fill this lane's column of T.
    __device__ __forceinline__ void
    tabulate(const double factor, const Array<double, dim> &xi)
    {
      double2 *column = T + lane / 4 * n_slots * 4 + point;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        {
          const double s = d == 0 ? factor : 1.;
          unrolled_legendre(xi[d], [&](const int k, const double value, const double slope) {
            column[(d * (degree + 1) + k) * 4] = make_double2(s * value, s * slope);
          });
        }
    }

    /// legendre() with a degree that the compiler knows.
    template <typename Take>
    __device__ __forceinline__ static void
    unrolled_legendre(const double xi, const Take &take)
    {
      LegendreRecurrence<double> p(xi);
      take(0, p.value_before, p.derivative_before);
#pragma unroll
      for (int k = 1; k <= degree; ++k)
        {
          p.give(k, take);
          p.advance(k);
        }
    }

    /// Zero the sums of the groups of trial functions from @p first on.
    __device__ __forceinline__ void
    clear(const int first)
    {
#pragma unroll
      for (int i = 0; i < n_tiles; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if (2 * i + h >= first)
#pragma unroll
            for (int j = 0; j < n_columns; ++j)
              sums[i][j][0][h] = sums[i][j][1][h] = 0;
    }

    /// Groups of trial functions from @p first on to a block.
    /// @param n_trial how many there are
    template <int first>
    __device__ __forceinline__ void
    store(double *block, const int n_trial) const
    {
#pragma unroll
      for (int g = 0; g < n_groups; ++g)
        {
          const int trial = 8 * g + lane / 4;
          if (trial < n_trial)
#pragma unroll
            for (int j = 0; j < n_columns; ++j)
              {
                const int    test = 8 * (first_group + j) + 2 * point;
                const auto  &tile = sums[(first + g) / 2][j];
                const double left = tile[0][(first + g) % 2], right = tile[1][(first + g) % 2];
                double      *to = block + trial * n + test;
                if (n % 2 == 0)
                  {
                    if (test < n)
                      *reinterpret_cast<double2 *>(to) = make_double2(left, right);
                  }
                else
                  {
                    if (test < n)
                      to[0] = left;
                    if (test + 1 < n)
                      to[1] = right;
                  }
              }
        }
    }

    /// Ask for @p n numbers of a point, those from @p first on, for this lane.
    /// @param place of the first one in N
    template <int n>
    __device__ __forceinline__ void
    ask_for(const PointRecords &records, const int first, const std::size_t q, const int place)
    {
      if constexpr (Tiles::ahead)
        {
#pragma unroll
          for (int i = 0; i < n; ++i)
            copy_async<8>(records.values + (first + i) * records.n_points + q,
                          N + 32 * (place + i));
        }
      else
        asked = q;
    }

    /// Number @p i of the point that was asked for last, which is at @p place in N.
    __device__ __forceinline__ double
    number(const PointRecords &records, const int i, const int place) const
    {
      if constexpr (Tiles::ahead)
        return N[32 * place];
      else
        return records.values[i * records.n_points + asked];
    }

    __device__ __forceinline__ Array<double, dim>
    vector(const PointRecords &records, const int first, const int place) const
    {
      Array<double, dim> result;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        result[d] = number(records, first + d, place + d);
      return result;
    }

    /// Wait until all is there.
    __device__ __forceinline__ void
    wait() const
    {
      if constexpr (Tiles::ahead)
        arrive();
    }

    /// @tparam n_diffusive directions in which there is diffusion, the first ones
    template <int n_diffusive>
    __device__ __forceinline__ void
    add_volume()
    {
      using Point             = VolumePoint<dim, double>;
      constexpr int     n_a   = Point::n_diffusion;
      const std::size_t begin = rows.volume_starts[element], end = rows.volume_starts[element + 1];
      const auto        ask_from = [&](const std::size_t first) {
        if (first < end)
          ask_for<Point::n_numbers>(rows.volume, 0, ::min(first + lane, end - 1), 0);
      };
      ask_from(begin);
#pragma unroll 1
      for (std::size_t first = begin; first < end; first += 32)
        {
          const bool is_there = first + lane < end;
          wait();
          tabulate(scale, vector(rows.volume, 0, 0));
          double *c = C + lane / 4 * Tiles::n_numbers * 4 + point;
#pragma unroll
          for (int i = 0; i < Tiles::n_numbers; ++i)
            c[4 * i] = is_there ? number(rows.volume, dim + i, dim + i) : 0.;
          __syncwarp();
          ask_from(first + 32);
          const int n_steps = end - first >= 32 ? 8 : (static_cast<int>(end - first) + 3) / 4;
#pragma unroll 1
          for (int step = 0; step < n_steps; ++step)
            {
              const double2 *table   = T + step * n_slots * 4;
              const double  *numbers = C + step * Tiles::n_numbers * 4 + point;
              double         a[dim + 1][2 * Tiles::n_own], values[n_groups];
#pragma unroll
              for (int g = 0; g < n_groups; ++g)
                {
                  const Mode u = at(table, mode(g, n));
                  values[g]    = u.value;
                  a[0][g]      = numbers[4 * (dim + n_a)] * u.value;
#pragma unroll
                  for (int d = 0; d < dim; ++d)
                    {
                      a[0][g] += numbers[4 * d] * u.slope[d];
                      a[1 + d][g] = u.slope[d];
                    }
                }
              if constexpr (n_groups % 2 == 1)
#pragma unroll
                for (int d = 0; d <= dim; ++d)
                  a[d][n_groups] = 0;
              double A[n_diffusive][n_diffusive];
              int    i_A = dim;
#pragma unroll
              for (int d = 0; d < dim; ++d)
#pragma unroll
                for (int e = d; e < dim; ++e, ++i_A)
                  if (e < n_diffusive)
                    A[d][e] = A[e][d] = numbers[4 * i_A];
#pragma unroll
              for (int j = 0; j < n_columns; ++j)
                {
                  Mode v;
                  if constexpr (Tiles::n_warps == 1)
                    {
                      v.value = values[j];
#pragma unroll
                      for (int d = 0; d < dim; ++d)
                        v.slope[d] = a[1 + d][j];
                    }
                  else
                    v = at(table, tests[j]);
                  double test[1 + n_diffusive];
                  test[0] = v.value;
#pragma unroll
                  for (int d = 0; d < n_diffusive; ++d)
                    {
                      test[1 + d] = A[d][0] * v.slope[0];
#pragma unroll
                      for (int e = 1; e < n_diffusive; ++e)
                        test[1 + d] += A[d][e] * v.slope[e];
                    }
#pragma unroll
                  for (int i = 0; i < Tiles::n_own; ++i)
                    multiply_add(sums[i][j], test, [&](const int c, const int h) {
                      return a[c][2 * i + h];
                    });
                }
            }
          __syncwarp();
        }
    }

    /// The two products of a facet's form for all own columns.
    /// @param jump see FacetPoint
    /// @tparam n_rows tiles of trial functions
    /// @param a trial functions, `[product][group]`
    /// @param test called with a column, returns the mode's value and flux
    template <int n_rows, int n, typename Test>
    __device__ __forceinline__ void
    add_products(const double (&a)[2][n], const double jump, const Test &test)
    {
#pragma unroll
      for (int j = 0; j < n_columns; ++j)
        {
          const double2 v = test(j);
#pragma unroll
          for (int i = 0; i < n_rows; ++i)
            {
              const Pair values = {a[0][2 * i], a[0][2 * i + 1]};
              const Pair fluxes = {a[1][2 * i], a[1][2 * i + 1]};
              multiply_add(sums[i][j], values, fluxes, jump * v.x - v.y, -v.x);
            }
        }
    }

    __device__ __forceinline__ static double
    flux(const double (&direction)[dim], const Mode &mode)
    {
      double sum = direction[0] * mode.slope[0];
#pragma unroll
      for (int d = 1; d < dim; ++d)
        sum += direction[d] * mode.slope[d];
      return sum;
    }

    /// What C has of facets: the directions of the two fluxes, and the jump's factor; behind the
    /// place in N.
    __device__ __forceinline__ void
    put_facet(double *c, const bool is_there) const
    {
#pragma unroll
      for (int i = 0; i < 2 * dim + 1; ++i)
        c[4 * i] = is_there ? number(rows.faces, 2 * dim + i, dim + i) : 0.;
    }

    /// Ask for this, and the place in one of the two boxes.
    __device__ __forceinline__ void
    ask_for_facet(const bool own, const std::size_t q)
    {
      ask_for<dim>(rows.faces, own ? 0 : dim, q, 0);
      if (own)
        ask_for<2 * dim + 1>(rows.faces, 2 * dim, q, dim);
    }

    /// All points of the boundary of the element, for its own functions.
    __device__ __forceinline__ void
    add_own_side(const int begin, const int end)
    {
      constexpr int     n_numbers = 2 * dim + 1;
      const std::size_t last      = rows.face_starts[end];
      const auto        ask_from  = [&](const std::size_t first) {
        if (first < last)
          ask_for_facet(true, ::min(first + lane, last - 1));
      };
      ask_from(rows.face_starts[begin]);
#pragma unroll 1
      for (std::size_t first = rows.face_starts[begin]; first < last; first += 32)
        {
          const bool is_there = first + lane < last;
          wait();
          tabulate(scale, vector(rows.faces, 0, 0));
          put_facet(C + lane / 4 * n_numbers * 4 + point, is_there);
          __syncwarp();
          ask_from(first + 32);
          const int n_steps = last - first >= 32 ? 8 : (static_cast<int>(last - first) + 3) / 4;
#pragma unroll 1
          for (int step = 0; step < n_steps; ++step)
            {
              const double2 *table   = T + step * n_slots * 4;
              const double  *numbers = C + step * n_numbers * 4 + point;
              double         a[2][2 * Tiles::n_own], direction[dim];
#pragma unroll
              for (int d = 0; d < dim; ++d)
                direction[d] = numbers[4 * d];
#pragma unroll
              for (int g = 0; g < n_groups; ++g)
                {
                  const Mode u = at(table, mode(g, n));
                  a[0][g]      = u.value;
                  a[1][g]      = flux(direction, u);
                }
              if constexpr (n_groups % 2 == 1)
                a[0][n_groups] = a[1][n_groups] = 0;
              add_products<Tiles::n_own>(a, numbers[4 * 2 * dim], [&](const int j) {
                if constexpr (Tiles::n_warps == 1)
                  return make_double2(a[0][j], a[1][j]);
                else
                  {
                    const Mode v = at(table, tests[j]);
                    return make_double2(v.value, flux(direction, v));
                  }
              });
            }
          __syncwarp();
        }
    }

    /// Visit the steps of four points of the blocks `[begin, end)`, four steps at a time: lanes 0
    /// to 15 prepare their points as this element sees them, lanes 16 to 31 as the neighbours do.
    /// @param ask called with a point, for its numbers
    /// @param prepare called with the block, the element of its column and whether there is a point
    /// @param visit called with the number of the step of four, and its block
    template <typename Ask, typename Prepare, typename Visit>
    __device__ __forceinline__ void
    for_steps(const int      begin,
              const int      end,
              const Ask     &ask,
              const Prepare &prepare,
              const Visit   &visit) const
    {
      const int  first_step = rows.face_steps[begin], last_step = rows.face_steps[end];
      int        block = begin, column = 0;
      bool       is_there       = false;
      const auto ask_for_points = [&](const int base) {
        const int step = ::min(base + lane % 16 / 4, last_step - 1);
        int       next = rows.face_steps[block + 1], start = rows.face_steps[block];
        while (next <= step)
          {
            ++block;
            start = next;
            next  = rows.face_steps[block + 1];
          }
        const std::size_t q    = rows.face_starts[block] + 4 * (step - start) + point;
        const std::size_t last = rows.face_starts[block + 1];
        column                 = rows.columns[block];
        is_there               = q < last && base + lane % 16 / 4 < last_step;
        ask(q < last ? q : last - 1);
      };
      if (Tiles::ahead && first_step < last_step)
        ask_for_points(first_step);
#pragma unroll 1
      for (int base = first_step; base < last_step; base += 4)
        {
          if (!Tiles::ahead)
            ask_for_points(base);
          const int present = block;
          wait();
          prepare(column, is_there);
          __syncwarp();
          if (Tiles::ahead && base + 4 < last_step)
            ask_for_points(base + 4);
          const int n_steps = ::min(4, last_step - base);
#pragma unroll 1
          for (int s = 0; s < n_steps; ++s)
            visit(s, __shfl_sync(~0U, present, 4 * s));
          __syncwarp();
        }
    }

    /// Where modes are few: those of both sides in one go.
    __device__ __forceinline__ void
    add_both_sides(const int begin, const int end)
    {
#pragma unroll
      for (int m = Tiles::n; m < 8 * n_groups; ++m)
#pragma unroll
        for (int c = 0; c < 2; ++c)
          V[lane / 4 * Tiles::trace_step + 32 * n_groups * c + 4 * m + point] = 0;
      int        present = -1;
      const bool own     = lane < 16;
      for_steps(
        begin,
        end,
        [&](const std::size_t q) {
          ask_for<dim>(rows.faces, own ? 0 : dim, q, 0);
          ask_for<dim>(rows.faces, own ? 2 * dim : 3 * dim, q, dim);
          if (own)
            ask_for<1>(rows.faces, 4 * dim, q, 2 * dim);
        },
        [&](const int column, const bool is_there) {
          put_traces(own ? n : rows.elements.n_modes(column),
                     own ? scale : -rows.elements.scales[column],
                     own ? 1. : -1.,
                     vector(rows.faces, own ? 0 : dim, 0),
                     vector(rows.faces, own ? 2 * dim : 3 * dim, dim),
                     is_there);
          if (own)
            C[lane] = is_there ? number(rows.faces, 4 * dim, 2 * dim) : 0.;
        },
        [&](const int step, const int b) {
          if (b != present)
            {
              store_across<n_groups>(present, end);
              clear(n_groups);
              present = b;
            }
          const double *own = V + step * Tiles::trace_step + lane, *other =
                                                                     own + 4 * Tiles::trace_step;
          double a[2][2 * n_groups];
#pragma unroll
          for (int g = 0; g < n_groups; ++g)
#pragma unroll
            for (int c = 0; c < 2; ++c)
              {
                a[c][g]            = own[32 * (g + n_groups * c)];
                a[c][n_groups + g] = other[32 * (g + n_groups * c)];
              }
          const double jump = C[4 * step + point];
          const auto   test = [&](const int j) { return make_double2(a[0][j], a[1][j]); };
          if (b == end - 1) // the boundary
            add_products<Tiles::n_own>(a, jump, test);
          else
            add_products<n_groups>(a, jump, test);
        });
      store_across<n_groups>(present, end);
    }

    /// Values and fluxes of all modes at this lane's point to V.
    /// @param n_modes how many there are; the others are zero
    /// @param factor of values, with the sign that the form gives them across
    /// @param sign this one, which fluxes do not have
    __device__ __forceinline__ void
    put_traces(const int                 n_modes,
               const double              factor,
               const double              sign,
               const Array<double, dim> &xi,
               const Array<double, dim> &direction,
               const bool                is_there)
    {
      double value[dim][degree + 1], slope[dim][degree + 1];
#pragma unroll
      for (int d = 0; d < dim; ++d)
        {
          // Of products of values and one slope only one has the factor.
          const double s = d == 0 ? factor : 1., m = is_there ? sign * s * direction[d] : 0.;
          unrolled_legendre(xi[d], [&](const int k, const double p, const double p_slope) {
            value[d][k] = s * p;
            slope[d][k] = m * p_slope;
          });
        }
      double *to = V + lane / 4 * Tiles::trace_step + point;
      int     m  = 0;
#pragma unroll
      for (int total = 0; total <= degree; ++total)
#pragma unroll
        for (int i = total; i >= 0; --i)
#pragma unroll
          for (int j = total - i; j >= (dim == 2 ? total - i : 0); --j, ++m)
            {
              double yz = value[1][j], change = slope[1][j];
              if constexpr (dim == 3)
                {
                  const int k = total - i - j;
                  change      = change * value[dim - 1][k] + yz * slope[dim - 1][k];
                  yz *= value[dim - 1][k];
                }
              const bool there           = m < n_modes;
              to[4 * m]                  = there ? value[0][i] * yz : 0.;
              to[4 * (m + 8 * n_groups)] = there ? slope[0][i] * yz + value[0][i] * change : 0.;
            }
    }

    /// The functions of the neighbours.
    __device__ __forceinline__ void
    add_across(const int begin, const int end)
    {
      constexpr int n_numbers = 2 * dim + 1;
      int           present   = -1;
      const bool    own       = lane < 16;
      for_steps(
        begin,
        end - 1,
        [&](const std::size_t q) { ask_for_facet(own, q); },
        [&](const int column, const bool is_there) {
          tabulate(own ? scale : rows.elements.scales[column],
                   vector(rows.faces, own ? 0 : dim, 0));
          if (own)
            put_facet(C + lane / 4 * n_numbers * 4 + point, is_there);
        },
        [&](const int step, const int b) {
          if (b != present)
            {
              store_across<0>(present, end);
              clear(0);
              present = b;
            }
          const int      n_across = rows.elements.n_modes(rows.columns[b]);
          const double2 *table = T + step * n_slots * 4, *other = table + 4 * n_slots * 4;
          const double  *numbers = C + step * n_numbers * 4 + point;
          double         a[2][2 * Tiles::n_own], direction[dim], across[dim];
#pragma unroll
          for (int d = 0; d < dim; ++d)
            {
              direction[d] = numbers[4 * d];
              across[d]    = numbers[4 * (dim + d)];
            }
#pragma unroll
          for (int g = 0; g < n_groups; ++g)
            {
              const Mode u = at(other, mode(g, n_across));
              a[0][g]      = -u.value;
              a[1][g]      = flux(across, u);
            }
          if constexpr (n_groups % 2 == 1)
            a[0][n_groups] = a[1][n_groups] = 0;
          add_products<Tiles::n_own>(a, numbers[4 * 2 * dim], [&](const int j) {
            const Mode v = at(table, tests[j]);
            return make_double2(v.value, flux(direction, v));
          });
        });
      store_across<0>(present, end);
    }

    /// The groups from @p first on to the block @p b, if it is that of a neighbour.
    template <int first>
    __device__ __forceinline__ void
    store_across(const int b, const int end) const
    {
      if (b >= 0 && b < end - 1)
        store<first>(rows.values + rows.block_starts[b], rows.elements.n_modes(rows.columns[b]));
    }

    const AssembleRows<dim> &rows;
    const int                element, n; ///< number of its modes
    const int                first_group, lane, point;
    double2 *const           T;
    double *const C, *const V, *const N;
    std::size_t  asked = 0; ///< point, where nothing comes ahead
    const double scale;     ///< of the element's functions

    int  all_modes[n_groups]; ///< places of this lane's modes of the highest degree, one a group
    int  tests[n_columns];    ///< and of the element's in its columns
    Pair sums[n_tiles][n_columns][2];
  };
} // namespace Saltus::CudaKernels

#endif
