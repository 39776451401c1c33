// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_polytopic_row_programs_cuh
#define saltus_cuda_operators_polytopic_row_programs_cuh

// The programs of AssembleRows and LoadRows. Where tensor_rows.cuh has no faster form, a block of
// threads assembles a row. It gathers the values of all modes at some points in shared memory. Then
// each thread adds products of these values to tiles of a block of the matrix.
//
//   trial, test   [mode][point][product], padded by one number a mode
//
// A warp sets the right-hand side of an element.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/polytopic/tensor_rows.cuh>

namespace Saltus::CudaKernels
{
  /// Values and derivatives of the modes of one element at some points, by the threads of a
  /// block, or of a warp.
  template <int dim, int n_threads>
  class Modes
  {
  public:
    /// @param tables room for a table a point
    __device__
    Modes(const PolytopicElements<dim> &elements, double *tables)
      : elements(elements)
      , thread(threadIdx.x % n_threads)
      , tables(tables)
    {}

    static constexpr int size_of_table = dim * (max_legendre_degree + 1) * 2;

    /// Polynomials in one variable, for @p n points; `place(i)` is where point i is.
    template <typename Place>
    __device__ void
    tabulate(const int element, const int n, const Place &place)
    {
      const int degree = elements.degrees[element];
      for (int t = thread; t < n * dim; t += n_threads)
        {
          const int    i = t / dim, d = t % dim;
          const double scale = d == 0 ? elements.scales[element] : 1.;
          double      *table = tables + i * size_of_table;
          legendre(degree, place(i)[d], [&](const int k, const double value, const double slope) {
            entry(table, d, k)[0] = scale * value;
            entry(table, d, k)[1] = scale * slope;
          });
        }
    }

    /// Call `take(m, i, value, gradient)` for all modes and @p n points.
    template <typename Take>
    __device__ void
    for_all(const int element, const int n, const Take &take) const
    {
      const int n_modes = elements.n_modes(element);
      for (int t = thread; t < n * n_modes; t += n_threads)
        evaluate(t / n, t % n, [&](const double value, const Array<double, dim> &gradient) {
          take(t / n, t % n, value, gradient);
        });
    }

    /// Call `take(value, gradient)` for mode m at point i.
    template <typename Take>
    __device__ void
    evaluate(const int m, const int i, const Take &take) const
    {
      double            *table = tables + i * size_of_table;
      Array<double, dim> value, slope, gradient;
      double             product = 1;
      for (int d = 0; d < dim; ++d)
        {
          const double *numbers = entry(table, d, elements.powers[m * dim + d]);
          value[d]              = numbers[0];
          slope[d]              = numbers[1];
          product *= value[d];
        }
      for (int d = 0; d < dim; ++d)
        {
          gradient[d] = slope[d];
          for (int e = 0; e < dim; ++e)
            if (e != d)
              gradient[d] *= value[e];
        }
      take(product, gradient);
    }

  private:
    __device__ static double *
    entry(double *table, const int d, const int k)
    {
      return table + (d * (max_legendre_degree + 1) + k) * 2;
    }

    const PolytopicElements<dim> &elements;
    const int                     thread;
    double                       *tables;
  };

  /// The points that a block of threads gathers at once, and the memory for them.
  template <int dim>
  struct GatheredPoints
  {
    static constexpr int n_threads = 128;

    constexpr explicit GatheredPoints(const int n_points)
      : n(n_points)
      , stride(n_points * VolumePoint<dim, double>::n_products + 1)
    {}

    /// As many as fit into the shared memory that every GPU has.
    /// @param n_modes largest number of modes
    static constexpr GatheredPoints
    find(const int n_modes)
    {
      int n = 32;
      while (n > 1 && GatheredPoints(n).bytes(n_modes) > 48000)
        n /= 2;
      return GatheredPoints(n);
    }

    constexpr int
    bytes(const int n_modes) const
    {
      return (n * Modes<dim, n_threads>::size_of_table + 3 * n_modes * stride) * sizeof(double);
    }

    int n;
    int stride; ///< of modes
  };

  /// The general form of assembly.
  /// @tparam max_modes largest number of modes
  template <int dim, int max_modes>
  class GatheredRows
  {
    static constexpr GatheredPoints<dim> points = GatheredPoints<dim>::find(max_modes);

    static constexpr int tile = 2, n_threads = points.n_threads, stride = points.stride;

    using Modes = CudaKernels::Modes<dim, n_threads>;

  public:
    static constexpr LaunchShape shape{.n_threads    = n_threads,
                                       .per_block    = 1,
                                       .shared_bytes = points.bytes(max_modes)};

    __device__ static void
    run(const int element, const AssembleRows<dim> &rows, double *shared)
    {
      using Gradient     = Array<double, dim>;
      using VolumePoint  = VolumePoint<dim, double>;
      using FacetPoint   = FacetPoint<dim, double>;
      const int n_rows   = rows.elements.n_modes(element);
      const int begin    = rows.row_starts[element];
      const int last     = rows.row_starts[element + 1] - 1;
      double   *diagonal = rows.values + rows.block_starts[last];
      Modes     modes(rows.elements, shared);
      double   *test  = shared + points.n * Modes::size_of_table;
      double   *trial = test + n_rows * stride, *across = trial + n_rows * stride;
      for (std::size_t i = rows.block_starts[begin] + threadIdx.x; i < rows.block_starts[last + 1];
           i += n_threads)
        rows.values[i] = 0;
      const auto for_lots = [&](const std::size_t *starts, const auto &add) {
        for (std::size_t q = starts[0]; q < starts[1]; q += points.n)
          {
            __syncthreads(); // what was gathered before is used, and blocks are zero
            add(q, static_cast<int>(::min(starts[1] - q, static_cast<std::size_t>(points.n))));
          }
      };
      // The element's own functions at points, and their products.
      const auto add_own = [&](const auto &at, const std::size_t q, const int n) {
        constexpr int n_products = decltype(at(q))::n_products;
        modes.tabulate(element, n, [&](const int i) { return at(q + i).xi; });
        __syncthreads();
        modes.for_all(element,
                      n,
                      [&](const int m, const int i, const double value, const Gradient &gradient) {
                        const auto point = at(q + i);
                        const auto a     = point.trial(value, gradient), b =
                                                                       point.test(value, gradient);
                        for (int c = 0; c < n_products; ++c)
                          {
                            trial[m * stride + i * n_products + c] = a[c];
                            test[m * stride + i * n_products + c]  = b[c];
                          }
                      });
        __syncthreads();
        add_products(trial, n_rows, test, n_rows, n * n_products, diagonal);
      };
      for_lots(rows.volume_starts + element, [&](const std::size_t q, const int n) {
        add_own([&](const std::size_t p) { return VolumePoint(rows.volume, p); }, q, n);
      });
      for (int b = begin; b <= last; ++b)
        for_lots(rows.face_starts + b, [&](const std::size_t q, const int n) {
          constexpr int n_products = FacetPoint::n_products;
          const int     neighbor   = rows.columns[b];
          add_own([&](const std::size_t p) { return FacetPoint(rows.faces, p); }, q, n);
          if (neighbor == element)
            return; // at the boundary
          modes.tabulate(neighbor, n, [&](const int i) {
            return FacetPoint(rows.faces, q + i).xi_across;
          });
          __syncthreads();
          modes.for_all(
            neighbor,
            n,
            [&](const int m, const int i, const double value, const Gradient &gradient) {
              const auto a = FacetPoint(rows.faces, q + i).trial_across(value, gradient);
              for (int c = 0; c < n_products; ++c)
                across[m * stride + i * n_products + c] = a[c];
            });
          __syncthreads();
          add_products(across,
                       rows.elements.n_modes(neighbor),
                       test,
                       n_rows,
                       n * n_products,
                       rows.values + rows.block_starts[b]);
        });
    }

  private:
    /// Add products of trial and test functions to a block of the matrix.
    __device__ static void
    add_products(const double *trial,
                 const int     n_columns,
                 const double *test,
                 const int     n_rows,
                 const int     n,
                 double       *block)
    {
      const int n_tile_rows = (n_rows + tile - 1) / tile;
      const int n_tiles     = n_tile_rows * ((n_columns + tile - 1) / tile);
      for (int t = threadIdx.x; t < n_tiles; t += n_threads)
        {
          const int i0 = t % n_tile_rows * tile, j0 = t / n_tile_rows * tile;
          double    sums[tile][tile] = {};
          for (int k = 0; k < n; ++k)
            {
              double a[tile], b[tile];
              for (int s = 0; s < tile; ++s)
                {
                  // Values beyond the last one are read, but not stored.
                  a[s] = trial[::min(j0 + s, n_columns - 1) * stride + k];
                  b[s] = test[::min(i0 + s, n_rows - 1) * stride + k];
                }
              for (int j = 0; j < tile; ++j)
                for (int i = 0; i < tile; ++i)
                  sums[j][i] += a[j] * b[i];
            }
          for (int j = 0; j < tile && j0 + j < n_columns; ++j)
            for (int i = 0; i < tile && i0 + i < n_rows; ++i)
              block[(j0 + j) * n_rows + i0 + i] += sums[j][i];
        }
    }
  };

  template <typename Rows, int degree, LegendreFamily family>
  struct AssembleRowsProgram;

  /// Rows of elements none of which has a higher degree, nor a neighbor.
  template <int dim, int degree, LegendreFamily family>
  struct AssembleRowsProgram<AssembleRows<dim>, degree, family>
  {
    using Tiles   = RowTiles<dim, degree>;
    using General = GatheredRows<dim, n_legendre_modes<dim>(degree, family)>;

    static constexpr LaunchShape by_tensor_cores{.n_threads    = 32 * n_row_warps,
                                                 .per_block    = n_row_warps / Tiles::n_warps,
                                                 .shared_bytes = static_cast<int>(
                                                   n_row_warps * Tiles::n_shared * sizeof(double))};
    static constexpr bool        is_fast = family == LegendreFamily::total &&
                                    degree <= (dim == 2 ? 6 : 5) && has_double_tensor_cores &&
                                    by_tensor_cores.shared_bytes <= shared_memory_of_block;
    static constexpr LaunchShape shape = is_fast ? by_tensor_cores : General::shape;

    static __device__ __forceinline__ void
    run(const int n_elements, const AssembleRows<dim> &rows)
    {
      extern __shared__ __align__(16) double shared[];
      if constexpr (is_fast)
        {
          constexpr int n_warps = Tiles::n_warps;
          const int     warp = threadIdx.x / 32, task = blockIdx.x * n_row_warps + warp;
          if (task < n_elements * n_warps)
            TensorRows<dim, degree>(rows,
                                    rows.by_degree.elements[task / n_warps],
                                    task % n_warps,
                                    shared + warp * Tiles::n_shared)
              .run();
        }
      else
        General::run(rows.by_degree.elements[blockIdx.x], rows, shared);
    }
  };

  template <typename Rows>
  struct LoadRowsProgram;

  /// A warp an element. Its lanes tabulate polynomials at some points; then each has a mode, or
  /// where those are few a mode at some of the points.
  template <int dim>
  struct LoadRowsProgram<LoadRows<dim>>
  {
    static constexpr int n_threads = 128, load_points = 16; ///< the latter by a warp at once

    static constexpr LaunchShape shape{n_threads, n_threads / 32};

    static __device__ __forceinline__ void
    run(const int n_elements, const LoadRows<dim> &rows)
    {
      using Modes = Modes<dim, 32>;
      __shared__ double tables[n_threads / 32 * load_points * Modes::size_of_table];
      const int         warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      const int         element = blockIdx.x * (n_threads / 32) + warp;
      if (element >= n_elements)
        return;
      const int last = rows.row_starts[element + 1] - 1, n_modes = rows.elements.n_modes(element);
      Modes     modes(rows.elements, tables + warp * load_points * Modes::size_of_table);
      int       width = 1; // lanes for the modes
      while (width < n_modes && width < 32)
        width *= 2;
      for (int first = 0; first < n_modes; first += width)
        {
          const int  m   = first + lane % width;
          double     sum = 0;
          const auto add = [&](const std::size_t *starts, const auto &place, const auto &term) {
            for (std::size_t q = starts[0]; q < starts[1]; q += load_points)
              {
                const int n = ::min(starts[1] - q, static_cast<std::size_t>(load_points));
                __syncwarp();
                modes.tabulate(element, n, [&](const int i) { return place(q + i); });
                __syncwarp();
                if (m < n_modes)
                  for (int i = lane / width; i < n; i += 32 / width)
                    modes.evaluate(m, i, [&](const double value, const auto &gradient) {
                      sum += term(q + i, value, gradient);
                    });
              }
          };
          if (rows.source != nullptr)
            add(
              rows.volume_starts + element,
              [&](const std::size_t q) { return rows.volume.template read<dim, double>(0, q); },
              [&](const std::size_t q, const double value, const auto &) {
                return rows.source[q] * value;
              });
          if (rows.data != nullptr)
            add(
              rows.face_starts + last,
              [&](const std::size_t q) { return rows.faces.template read<dim, double>(0, q); },
              [&](const std::size_t q, const double value, const auto &gradient) {
                const auto factors = rows.boundary.template read<2, double>(0, q);
                const auto flux    = rows.faces.template read<dim, double>(2 * dim, q);
                return rows.data[q] * (factors[0] * value - factors[1] * dot<dim>(flux, gradient));
              });
          for (int step = width; step < 32; step *= 2)
            sum += __shfl_xor_sync(~0U, sum, step);
          if (lane < width && m < n_modes)
            rows.dst[rows.first_rows[element] + m] = sum;
        }
    }
  };
} // namespace Saltus::CudaKernels

#endif
