// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Rows of polytopic elements on any GPU, where tensor_rows.cuh has no faster ones: a block of
// threads a row. Values of all modes at some points are gathered in shared memory; then every
// thread has tiles of a block of the matrix, to which it adds their products.
//
//   trial, test   [mode][point][product], padded by one number a mode
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
    constexpr int max_points = 32; ///< gathered at once

    constexpr std::size_t shared_bytes = 48000; ///< that every GPU has

    /// Values and derivatives of the modes of one element at some points, by all threads of a
    /// block.
    template <int dim>
    class Modes
    {
    public:
      /// @param tables room for max_points() tables
      __device__
      Modes(const PolytopicElements<dim> &elements, double *tables)
        : elements(elements)
        , tables(tables)
      {}

      static constexpr int size_of_table = dim * (max_legendre_degree + 1) * 2;

      /// Polynomials in one variable, for @p n points; `place(i)` is where point i is.
      template <typename Place>
      __device__ void
      tabulate(const int element, const int n, const Place &place)
      {
        const int degree = elements.degrees[element];
        for (int t = threadIdx.x; t < n * dim; t += n_threads)
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
        for (int t = threadIdx.x; t < n * n_modes; t += n_threads)
          evaluate(t / n, t % n, [&](const double value, const Array<double, dim> &gradient) {
            take(t / n, t % n, value, gradient);
          });
      }

      /// Add `term(i, value, gradient)` of @p n points to number m of @p sums, for all modes.
      template <typename Term>
      __device__ void
      add_up(const int element, const int n, const Term &term, double *sums) const
      {
        for (int m = threadIdx.x; m < elements.n_modes(element); m += n_threads)
          {
            double sum = 0;
            for (int i = 0; i < n; ++i)
              evaluate(m, i, [&](const double value, const Array<double, dim> &gradient) {
                sum += term(i, value, gradient);
              });
            sums[m] += sum;
          }
      }

    private:
      /// Mode m at point i.
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

      __device__ static double *
      entry(double *table, const int d, const int k)
      {
        return table + (d * (max_legendre_degree + 1) + k) * 2;
      }

      const PolytopicElements<dim> &elements;
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
        return (n_points * Modes<dim>::size_of_table + 3 * largest * stride_of<dim>(n_points)) *
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
      const int  element = elements[blockIdx.x], n_rows = rows.elements.n_modes(element);
      const int  begin    = rows.row_starts[element];
      const int  last     = rows.row_starts[element + 1] - 1;
      double    *diagonal = rows.values + rows.block_starts[last];
      Modes<dim> modes(rows.elements, shared);
      double    *test  = shared + room.n_points * Modes<dim>::size_of_table;
      double    *trial = test + n_rows * room.stride, *across = trial + n_rows * room.stride;
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
      for_lots(rows.volume_starts + element, [&](const std::size_t q, const int n) {
        constexpr int n_products = VolumePoint::n_products;
        modes.tabulate(element, n, [&](const int i) { return VolumePoint(rows.volume, q + i).xi; });
        __syncthreads();
        modes.for_all(element,
                      n,
                      [&](const int m, const int i, const double value, const Gradient &gradient) {
                        const VolumePoint point(rows.volume, q + i);
                        const auto        a = point.trial(value, gradient), b =
                                                                       point.test(value, gradient);
                        for (int c = 0; c < n_products; ++c)
                          {
                            trial[m * room.stride + i * n_products + c] = a[c];
                            test[m * room.stride + i * n_products + c]  = b[c];
                          }
                      });
        __syncthreads();
        add_products(trial, n_rows, test, n_rows, n * n_products, room.stride, diagonal);
      });
      for (int b = begin; b <= last; ++b)
        for_lots(rows.face_starts + b, [&](const std::size_t q, const int n) {
          constexpr int n_products  = FacetPoint::n_products;
          const int     neighbor    = rows.columns[b];
          const bool    at_boundary = neighbor == element;
          modes.tabulate(element, n, [&](const int i) { return FacetPoint(rows.faces, q + i).xi; });
          __syncthreads();
          modes.for_all(
            element,
            n,
            [&](const int m, const int i, const double value, const Gradient &gradient) {
              const FacetPoint point(rows.faces, q + i);
              const auto       a = point.trial(value, gradient), b = point.test(value, gradient);
              for (int c = 0; c < n_products; ++c)
                {
                  trial[m * room.stride + i * n_products + c] = a[c];
                  test[m * room.stride + i * n_products + c]  = b[c];
                }
            });
          __syncthreads();
          add_products(trial, n_rows, test, n_rows, n * n_products, room.stride, diagonal);
          if (at_boundary)
            return;
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

    template <int dim>
    __global__ void
    __launch_bounds__(n_threads) load_kernel(const LoadRows<dim> rows)
    {
      __shared__ double tables[max_points * Modes<dim>::size_of_table];
      const int         element = blockIdx.x, last = rows.row_starts[element + 1] - 1;
      const int         n_modes = rows.elements.n_modes(element);
      double           *dst     = rows.dst + rows.first_rows[element];
      Modes<dim>        modes(rows.elements, tables);
      const auto        add = [&](const std::size_t *starts, const auto &place, const auto &term) {
        for (std::size_t q = starts[0]; q < starts[1]; q += max_points)
          {
            const int n = ::min(starts[1] - q, static_cast<std::size_t>(max_points));
            __syncthreads();
            modes.tabulate(element, n, [&](const int i) { return place(q + i); });
            __syncthreads();
            modes.add_up(
              element,
              n,
              [&](const int i, const double value, const auto &gradient) {
                return term(q + i, value, gradient);
              },
              dst);
          }
      };
      for (int m = threadIdx.x; m < n_modes; m += n_threads)
        dst[m] = 0;
      if (rows.source != nullptr)
        add(
          rows.volume_starts + element,
          [&](const std::size_t q) { return rows.volume.template read<dim, double>(0, q); },
          [&](const std::size_t q, const double value, const auto &) {
            return rows.source[q] * value;
          });
      add(
        rows.face_starts + last,
        [&](const std::size_t q) { return rows.faces.template read<dim, double>(0, q); },
        [&](const std::size_t q, const double value, const auto &gradient) {
          const auto factors = rows.boundary.template read<2, double>(0, q);
          const auto flux    = rows.faces.template read<dim, double>(2 * dim, q);
          return rows.data[q] * (factors[0] * value - factors[1] * dot<dim>(flux, gradient));
        });
    }

    struct CudaBlocks
    {
      /// Elements none of which has a higher degree, nor a neighbour.
      template <int degree, int dim>
      static void
      run_degree(const AssembleRows<dim> &rows, const bool tensor_cores)
      {
        const int  n_elements = rows.by_degree.starts[degree + 1] - rows.by_degree.starts[degree];
        const int *elements   = rows.by_degree.elements + rows.by_degree.starts[degree];
        if (n_elements > 0)
          {
            if constexpr (degree <= (dim == 2 ? 6 : 5))
              if (tensor_cores)
                CudaKernels::assemble_with_tensor_cores<dim, degree>(n_elements, elements, rows);
            if (!tensor_cores || degree > (dim == 2 ? 6 : 5))
              {
                const int  largest = n_legendre_modes<dim>(degree, rows.elements.family);
                const Room room    = Room::find<dim>(largest);
                assembly_kernel<dim>
                  <<<n_elements, n_threads, room.bytes<dim>(largest), CudaRuntime::stream()>>>(
                    elements, rows, room);
                CudaRuntime::check_launch("the assembly of polytopic elements");
              }
          }
        if constexpr (degree < max_legendre_degree)
          run_degree<degree + 1>(rows, tensor_cores);
      }

      template <int dim>
      static void
      run(const int, const AssembleRows<dim> &rows)
      {
        run_degree<1>(rows,
                      rows.elements.family == LegendreFamily::total &&
                        CudaRuntime::has_double_tensor_cores(CudaRuntime::current_device()));
      }

      template <int dim>
      static void
      run(const int n_elements, const LoadRows<dim> &rows)
      {
        load_kernel<dim><<<n_elements, n_threads, 0, CudaRuntime::stream()>>>(rows);
        CudaRuntime::check_launch("the right-hand side of polytopic elements");
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
