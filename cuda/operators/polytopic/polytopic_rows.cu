// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Rows of polytopic elements on any GPU, where tensor_rows.cuh has no faster ones: a block of
// threads a row. Values of all modes at some points are gathered in shared memory; then every
// thread has tiles of a block of the matrix, to which it adds their products.
//
//   trial, test   [mode][point][product], padded by one number a mode
//
// And the right-hand side, a warp an element.
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

#include <cuda/base/device/check.cuh>
#include <cuda/base/device/context.cuh>
#include <cuda/operators/polytopic/tensor_rows.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128, tile = 2;
    constexpr int max_points  = 32; ///< gathered at once
    constexpr int load_points = 16; ///< by a warp for the right-hand side

    constexpr std::size_t shared_bytes = 48000; ///< that every GPU has

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

    /// Add products of trial and test functions to a block of the matrix.
    __device__ void
    add_products(const double *trial,
                 const int     n_columns,
                 const double *test,
                 const int     n_rows,
                 const int     n,
                 const int     stride,
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
                  // What is beyond the last one is read, and left out.
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

    /// How many points are gathered at once, and the room for them.
    struct Room
    {
      int n_points, stride;

      /// @param largest number of modes
      template <int dim>
      static Room
      find(const int largest)
      {
        Room room{max_points, 0};
        while (room.n_points > 1 && room.bytes<dim>(largest) > shared_bytes)
          room.n_points /= 2;
        room.stride = stride_of<dim>(room.n_points);
        return room;
      }

      template <int dim>
      static int
      stride_of(const int n)
      {
        return n * VolumePoint<dim, double>::n_products + 1;
      }

      template <int dim>
      std::size_t
      bytes(const int largest) const
      {
        return (n_points * Modes<dim, n_threads>::size_of_table +
                3 * largest * stride_of<dim>(n_points)) *
               sizeof(double);
      }
    };

    template <int dim>
    __global__ void
    __launch_bounds__(n_threads)
      assembly_kernel(const int *elements, const AssembleRows<dim> rows, const Room room)
    {
      using Gradient    = Array<double, dim>;
      using VolumePoint = VolumePoint<dim, double>;
      using FacetPoint  = FacetPoint<dim, double>;
      extern __shared__ double shared[];
      const int             element = elements[blockIdx.x], n_rows = rows.elements.n_modes(element);
      const int             begin    = rows.row_starts[element];
      const int             last     = rows.row_starts[element + 1] - 1;
      double               *diagonal = rows.values + rows.block_starts[last];
      Modes<dim, n_threads> modes(rows.elements, shared);
      double               *test = shared + room.n_points * Modes<dim, n_threads>::size_of_table;
      double *trial = test + n_rows * room.stride, *across = trial + n_rows * room.stride;
      for (std::size_t i = rows.block_starts[begin] + threadIdx.x; i < rows.block_starts[last + 1];
           i += n_threads)
        rows.values[i] = 0;
      const auto for_lots = [&](const std::size_t *starts, const auto &add) {
        for (std::size_t q = starts[0]; q < starts[1]; q += room.n_points)
          {
            __syncthreads(); // what was gathered before is used, and blocks are zero
            add(q, static_cast<int>(::min(starts[1] - q, static_cast<std::size_t>(room.n_points))));
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
                            trial[m * room.stride + i * n_products + c] = a[c];
                            test[m * room.stride + i * n_products + c]  = b[c];
                          }
                      });
        __syncthreads();
        add_products(trial, n_rows, test, n_rows, n * n_products, room.stride, diagonal);
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
                across[m * room.stride + i * n_products + c] = a[c];
            });
          __syncthreads();
          add_products(across,
                       rows.elements.n_modes(neighbor),
                       test,
                       n_rows,
                       n * n_products,
                       room.stride,
                       rows.values + rows.block_starts[b]);
        });
    }

    /// A warp an element. Its lanes tabulate polynomials at some points; then each has a mode, or
    /// where those are few a mode at some of the points.
    template <int dim>
    __global__ void
    __launch_bounds__(n_threads) load_kernel(const int n_elements, const LoadRows<dim> rows)
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

    struct CudaBlocks
    {
      /// Elements none of which has a higher degree, nor a neighbour.
      template <int degree, int dim>
      static void
      run_degree(const AssembleRows<dim> &rows)
      {
        const int  n_elements = rows.by_degree.starts[degree + 1] - rows.by_degree.starts[degree];
        const int *elements   = rows.by_degree.elements + rows.by_degree.starts[degree];
        if (n_elements > 0 && !run_with_tensor_cores<degree>(n_elements, elements, rows))
          {
            const int  largest = n_legendre_modes<dim>(degree, rows.elements.family);
            const Room room    = Room::find<dim>(largest);
            assembly_kernel<dim>
              <<<n_elements, n_threads, room.bytes<dim>(largest), CudaRuntime::stream()>>>(elements,
                                                                                           rows,
                                                                                           room);
            CudaRuntime::check_launch("the assembly of polytopic elements");
          }
        if constexpr (degree < max_legendre_degree)
          run_degree<degree + 1>(rows);
      }

      /// @return whether there are such kernels, and the device runs them
      template <int degree, int dim>
      static bool
      run_with_tensor_cores(const int                n_elements,
                            const int               *elements,
                            const AssembleRows<dim> &rows)
      {
        if constexpr (degree <= (dim == 2 ? 6 : 5))
          return rows.elements.family == LegendreFamily::total &&
                 CudaKernels::assemble_with_tensor_cores<dim, degree>(n_elements, elements, rows);
        else
          return false;
      }

      template <int dim>
      static bool
      run(const int, const AssembleRows<dim> &rows)
      {
        run_degree<1>(rows);
        return true;
      }

      template <int dim>
      static bool
      run(const int n_elements, const LoadRows<dim> &rows)
      {
        load_kernel<dim><<<CudaKernels::divide_up(n_elements, n_threads / 32),
                           n_threads,
                           0,
                           CudaRuntime::stream()>>>(n_elements, rows);
        CudaRuntime::check_launch("the right-hand side of polytopic elements");
        return true;
      }

      template <typename Rows>
      static bool
      enrol()
      {
        WorkRegistry<Rows>::cuda = &run;
        return true;
      }
    };

    [[maybe_unused]] const bool enrolled = PolytopicRowWork<SALTUS_DIMENSION>::enrol<CudaBlocks>();
  } // namespace
} // namespace Saltus
