// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_tensor_cuh
#define saltus_cuda_operators_flow_tensor_cuh

// First derivatives of incompressible flow with tensor cores in double precision.
//
// A warp works on 8 elements, lane 4 g + t on element g. See tensor_core.cuh for the products;
// here always two steps of four columns are done together. Modes and points of a quadrature come in
// tiles of eight, of which a lane has two:
//
//   input, sums    [j][i][c]   mode  8 j + 4 i + t of the lane's element
//   values         [i][c]      point 8 q + 4 i + t of tile q
//
// A product with the modes as columns of A has such values as D, whose fluxes are the columns of A
// in the product with the test functions, whose D are the sums. The operands B stand in tables,
// lane after lane. Tiles are filled up with zeros.
//
// A thread block works on a block of elements. What an element needs of its neighbours are traces:
// their values at the points of a face, which go through shared memory, where every lane finds them
// by the neighbour's number of the point:
//
//   traces  [f][c][point][element]   of the element itself if its neighbour is in the block, too,
//                                    and sees the face as number f; else of its neighbour
//
// The latter elements are not many: they are collected in groups of eight, each of which one warp
// works on.

#include <saltus/operators/flow_launcher.h>

#include <algorithm>
#include <cuda/base/device_numbers.cuh>
#include <cuda/operators/tensor_core.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// The operands B of a reference element, for tiles q of points:
  ///   volume  [q][values, then gradients in each direction][j][lane][step]
  ///   faces   [f][q][values, then test functions][j][lane][step]
  struct FlowOperands
  {
    const double2 *volume, *faces;
    int            n_volume_tiles, n_face_tiles; ///< of one face
  };

  template <int dim>
  class FlowOperandTable
  {
  public:
    explicit FlowOperandTable(const ElementTables<double> &host)
      : n_modes(host.n_modes)
      , n_volume_tiles(divide_up(host.n_volume_points, 8))
      , n_face_tiles(divide_up(host.n_face_points, 8))
      , numbers(make(host))
    {}

    FlowOperands
    operands() const
    {
      const double2 *start = reinterpret_cast<const double2 *>(numbers.data());
      return {start,
              start + n_volume_tiles * (1 + dim) * divide_up(n_modes, 8) * 32,
              n_volume_tiles,
              n_face_tiles};
    }

  private:
    std::vector<double>
    make(const ElementTables<double> &host) const
    {
      std::vector<double> result;
      const int           nv = host.n_volume_points, nf = host.n_face_points;
      const auto entry = [&](const double *row, const int m) { return m < n_modes ? row[m] : 0.; };
      // Column n of D is point or mode 4 (n % 2) + n / 2 of its tile.
      const auto add = [&](const auto &operand) {
        for (int j = 0; j < n_modes; j += 8)
          for (int lane = 0; lane < 32; ++lane)
            for (int step = 0; step < 2; ++step)
              result.push_back(operand(j, 4 * step + lane % 4, 4 * (lane / 4 % 2) + lane / 8));
      };
      for (int q = 0; q < nv; q += 8)
        {
          add([&](const int j, const int k, const int n) {
            return q + n < nv ? entry(host.volume_values + (q + n) * n_modes, j + k) : 0.;
          });
          for (int r = 0; r < dim; ++r)
            add([&](const int j, const int k, const int n) {
              return q + k < nv
                       ? -host.volume_weights[q + k] *
                           entry(host.volume_gradients + ((q + k) * dim + r) * n_modes, j + n)
                       : 0.;
            });
        }
      for (int f = 0; f < host.n_faces; ++f)
        for (int q = 0; q < nf; q += 8)
          {
            const double *rows = host.face_values + (f * nf + q) * n_modes;
            add([&](const int j, const int k, const int n) {
              return q + n < nf ? entry(rows + n * n_modes, j + k) : 0.;
            });
            add([&](const int j, const int k, const int n) {
              return q + k < nf ? host.face_weights[q + k] * entry(rows + k * n_modes, j + n) : 0.;
            });
          }
      return result;
    }

    const int           n_modes, n_volume_tiles, n_face_tiles;
    const DeviceNumbers numbers;
  };

  /// What a thread does for a block of elements.
  template <typename Form, int degree>
  class FlowBlock
  {
    static constexpr int dim  = Form::dimension;
    static constexpr int n_in = Form::n_in, n_out = Form::n_out;
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_tiles = divide_up(n_modes, 8); ///< of modes

    /// Tiles of a neighbour's modes, and of the points of a face, that are worked on at a time.
    static constexpr int mode_batch = std::clamp(12 / n_in, 1, n_tiles);
    static constexpr int point_batch =
      dim == 2 ? divide_up(3 * degree / 2 + 1, 8) : std::min(degree, 3);

    /// Whether the input stays in shared memory, since there are too few registers.
    static constexpr bool input_in_memory = 2 * n_tiles * n_in > 32;
    static constexpr int  input_size      = input_in_memory ? n_tiles * 2 * n_in * 32 : 0;

    /// Numbers from one point's traces to the next: so that a warp meets no bank twice.
    static constexpr int trace_stride = 36;

    using Input     = Array<double, n_in>;
    using Output    = Array<double, n_out>;
    using Direction = Array<double, dim>;

  public:
    using Arguments = FlowArguments<Form, double>;

    static constexpr int n_warps = 4, n_elements = 8 * n_warps; ///< of a block
    static_assert(block_size % n_elements == 0);

    /// So that registers suffice: numbers that a lane keeps in them.
    static constexpr int n_numbers =
      2 * n_tiles * ((input_in_memory ? 2 : n_in) + n_out) + 2 * (mode_batch + point_batch) * n_in;
    static constexpr int min_blocks = n_numbers <= 36 ? 4 : n_numbers <= 60 ? 3 : 2;

    /// Of how many faces traces are kept at a time: of all, unless that is much.
    static int
    n_kept_faces(const int n_face_points)
    {
      constexpr int much = 6000;
      return (dim + 1) * n_in * n_face_points * trace_stride <= much ? dim + 1 : 1;
    }

    /// Shared memory of a block, in numbers.
    static int
    memory(const int n_face_points)
    {
      return n_warps * input_size +
             n_kept_faces(n_face_points) * n_in * n_face_points * trace_stride;
    }

    /// @param begin the first element
    __device__ __forceinline__
    FlowBlock(const Arguments    &arg,
              const FlowOperands &operands,
              const int           faces_at_a_time,
              const int           begin,
              double             *memory)
      : arg(arg)
      , operands(operands)
      , faces_at_a_time(faces_at_a_time)
      , begin(begin)
      , warp(threadIdx.x / 32)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , rank(threadIdx.x / 4)
      , own(memory + warp * input_size + lane)
      , traces(memory + n_warps * input_size)
    {}

    __device__ __forceinline__ void
    run()
    {
#pragma unroll
      for (int i = 0; i < dim * dim; ++i)
        inverse_jacobian[i / dim][i % dim] =
          __ldg(arg.mesh.inverse_jacobians + point_index(begin + rank, i, dim * dim, 1));
      load_input();
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(sums[j]);
#pragma unroll 1
      for (int f = 0; f <= dim; f += faces_at_a_time)
        {
          set_traces(f);
          if (f == 0)
            add_volume();
          __syncthreads();
          add_faces(f);
          __syncthreads();
        }
      update();
    }

  private:
    template <int n>
    static __device__ __forceinline__ void
    set_zero(double (&values)[2][n])
    {
#pragma unroll
      for (int c = 0; c < n; ++c)
        values[0][c] = values[1][c] = 0.;
    }

    /// D += A B for one tile.
    /// @param both_steps whether the second column has anything
    template <int n>
    static __device__ __forceinline__ void
    multiply_add(double (&d)[2][n],
                 const double (&a)[2][n],
                 const double2 b,
                 const bool    both_steps = true)
    {
#pragma unroll
      for (int c = 0; c + 1 < n; c += 2)
        {
          Pair       sum[2] = {{d[0][c], d[0][c + 1]}, {d[1][c], d[1][c + 1]}};
          const Pair a0 = {a[0][c], a[0][c + 1]}, a1 = {a[1][c], a[1][c + 1]};
          if (both_steps)
            CudaKernels::multiply_add(sum, a0, a1, b.x, b.y);
          else
            CudaKernels::multiply_add(sum, a0, b.x);
#pragma unroll
          for (int i = 0; i < 4; ++i)
            d[i / 2][c + i % 2] = sum[i / 2][i % 2];
        }
      if constexpr (n % 2 == 1)
        {
          double sum[2] = {d[0][n - 1], d[1][n - 1]};
          CudaKernels::multiply_add(sum, a[0][n - 1], b.x);
          if (both_steps)
            CudaKernels::multiply_add(sum, a[1][n - 1], b.y);
          d[0][n - 1] = sum[0];
          d[1][n - 1] = sum[1];
        }
    }

    static __device__ __forceinline__ bool
    has_second_step(const int j)
    {
      return 8 * j + 4 < n_modes;
    }

    /// Face @p f of element @p i of the block.
    __device__ __forceinline__ FaceRecord
    face(const int i, const int f) const
    {
      return read_face(arg.mesh.faces + point_index(begin + i, f, dim + 1, 1));
    }

    /// Whether the element across is in the block and sees the face as number @p f.
    __device__ __forceinline__ bool
    is_inside(const FaceRecord &across, const int f) const
    {
      return !across.at_boundary() && across.neighbor / n_elements == begin / n_elements &&
             across.face == f;
    }

    /// Whether this lane has a mode in step @p i of tile @p j.
    __device__ __forceinline__ bool
    has_mode(const int j, const int i) const
    {
      const int m = 8 * j + 4 * i;
      return m + 3 < n_modes || m + t < n_modes;
    }

    /// Add a sum of vectors, with as many components as an input, to the components from
    /// @p component on of modes in the tiles from @p first on.
    template <int n>
    __device__ __forceinline__ void
    add_modes(const Combination<double> &sum,
              const int                  of,
              const int                  first,
              const int                  component,
              double (&to)[n][2][n_in]) const
    {
      constexpr int nc = Form::n_components;
#pragma unroll 1
      for (int term = 0; term < sum.n_terms; ++term)
        {
          const double  factor = sum.factors[term];
          const double *from   = sum.vectors[term] + coefficient_index(of, t, n_modes, nc);
#pragma unroll
          for (int j = 0; j < n; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
              if (first + j < n_tiles && has_mode(first + j, i))
                {
                  const auto row =
                    Row<nc, double>::read_only(from + (8 * (first + j) + 4 * i) * mode_stride(nc));
#pragma unroll
                  for (int c = 0; c < nc; ++c)
                    to[j][i][component + c] += factor * row.values[c].v;
                }
        }
    }

    __device__ __forceinline__ void
    load_input()
    {
      constexpr int n = input_in_memory ? mode_batch : n_tiles;
#pragma unroll
      for (int first = 0; first < n_tiles; first += n)
        {
          double modes[n][2][n_in];
#pragma unroll
          for (int j = 0; j < n; ++j)
            set_zero(modes[j]);
#pragma unroll
          for (int i = 0; i < Form::n_inputs; ++i)
            add_modes(arg.inputs[i], begin + rank, first, i * Form::n_components, modes);
#pragma unroll
          for (int j = 0; j < n; ++j)
#pragma unroll
            for (int i = 0; i < 2 * n_in; ++i)
              if constexpr (!input_in_memory)
                input[j][i / n_in][i % n_in] = modes[j][i / n_in][i % n_in];
              else if (first + j < n_tiles)
                own[((first + j) * 2 * n_in + i) * 32] = modes[j][i / n_in][i % n_in];
        }
    }

    /// The input at the points of a tile with the operands @p from on.
    __device__ __forceinline__ void
    interpolate(const double2 *from, double (&values)[2][n_in]) const
    {
      set_zero(values);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
          const double2 b = __ldg(from + 32 * j);
          if constexpr (input_in_memory)
            {
              double modes[2][n_in];
#pragma unroll
              for (int i = 0; i < 2 * n_in; ++i)
                modes[i / n_in][i % n_in] = own[(j * 2 * n_in + i) * 32];
              multiply_add(values, modes, b, has_second_step(j));
            }
          else
            multiply_add(values, input[j], b, has_second_step(j));
        }
    }

    /// Add the products of a flux at the points of a tile with the test functions at @p from.
    __device__ __forceinline__ void
    test(const double2 *from, const double (&flux)[2][n_out])
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        multiply_add(sums[j], flux, __ldg(from + 32 * j));
    }

    static __device__ __forceinline__ Input
    at_point(const double (&values)[n_in])
    {
      Input result;
#pragma unroll
      for (int c = 0; c < n_in; ++c)
        result[c] = values[c];
      return result;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const double2 *from = operands.volume + lane;
#pragma unroll 1
      for (int q = 0; q < operands.n_volume_tiles; ++q)
        {
          double values[2][n_in];
          interpolate(from, values);
          from += 32 * n_tiles;
          const Input points[2] = {at_point(values[0]), at_point(values[1])};
#pragma unroll
          for (int r = 0; r < dim; ++r)
            {
              double flux[2][n_out];
#pragma unroll
              for (int i = 0; i < 2; ++i)
                {
                  const Output here = arg.form.flux(points[i], inverse_jacobian[r]);
#pragma unroll
                  for (int c = 0; c < n_out; ++c)
                    flux[i][c] = here[c];
                }
              test(from, flux);
              from += 32 * n_tiles;
            }
        }
    }

    /// Of tile @p q of the points of face @p f: values, behind them test functions.
    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int q) const
    {
      return operands.faces + (f * operands.n_face_tiles + q) * 2 * n_tiles * 32 + lane;
    }

    /// Component @p c at the point number @p point, for element @p i of the block, of the face with
    /// number @p slot among those that are worked on.
    __device__ __forceinline__ double &
    trace(const int slot, const int c, const int point, const int i) const
    {
      return traces[((slot * n_in + c) * arg.tables.n_face_points + point) * trace_stride + i];
    }

    /// Those of faces from number @p begin_face on.
    __device__ __forceinline__ void
    set_traces(const int begin_face)
    {
      int n_groups = 0;
#pragma unroll 1
      for (int slot = 0; slot < faces_at_a_time; ++slot)
        {
          const int f = begin_face + slot;
          store_own_traces(f, slot);

          // Of all elements of the block, one a lane: what comes from elsewhere.
          const FaceRecord across = face(lane, f);
          const int        number = across.at_boundary() ? f : across.face;
          const bool   wanted = across.at_boundary() ? arg.takes_inflow() : !is_inside(across, f);
          unsigned int left   = __ballot_sync(~0U, wanted);
          while (left != 0)
            {
              const int    present = __shfl_sync(~0U, number, __ffs(left) - 1);
              unsigned int same    = __ballot_sync(~0U, wanted && number == present);
              left &= ~same;
              for (; same != 0; same = without_lowest(same, 8), ++n_groups)
                if (n_groups % n_warps == warp)
                  store_traces_across(f, slot, present, without_lowest(same, lane / 4));
            }
        }
    }

    static __device__ __forceinline__ unsigned int
    without_lowest(unsigned int bits, const int n)
    {
      for (int i = 0; i < n; ++i)
        bits &= bits - 1;
      return bits;
    }

    __device__ __forceinline__ void
    store_own_traces(const int f, const int slot) const
    {
      const bool is_wanted = is_inside(face(rank, f), f);
#pragma unroll 1
      for (int q = 0; q < operands.n_face_tiles; ++q)
        {
          double values[2][n_in];
          interpolate(face_operands(f, q), values);
          if (is_wanted)
            store_traces(slot, q, rank, values);
        }
    }

    __device__ __forceinline__ void
    store_traces(const int slot, const int q, const int i, const double (&values)[2][n_in]) const
    {
#pragma unroll
      for (int k = 0; k < 2; ++k)
        if (const int point = 8 * q + 4 * k + t; point < arg.tables.n_face_points)
#pragma unroll
          for (int c = 0; c < n_in; ++c)
            trace(slot, c, point, i) = values[k][c];
    }

    /// The neighbours' values, at boundaries those of the inflow, for the element that is the
    /// lowest of the bits @p elements, if it is not 0.
    /// @param number of the face on the other side
    __device__ __forceinline__ void
    store_traces_across(const int          f,
                        const int          slot,
                        const int          number,
                        const unsigned int elements) const
    {
      const int        i      = elements == 0 ? 0 : __ffs(elements) - 1;
      const FaceRecord across = face(i, f);
#pragma unroll 1
      for (int first_tile = 0; first_tile < operands.n_face_tiles; first_tile += point_batch)
        {
          double values[point_batch][2][n_in];
#pragma unroll
          for (int q = 0; q < point_batch; ++q)
            set_zero(values[q]);
#pragma unroll
          for (int first = 0; first < n_tiles; first += mode_batch)
            {
              double modes[mode_batch][2][n_in];
#pragma unroll
              for (int j = 0; j < mode_batch; ++j)
                set_zero(modes[j]);
              if (elements != 0)
                add_modes_across(across, begin + i, first, modes);
#pragma unroll
              for (int q = 0; q < point_batch; ++q)
                if (first_tile + q < operands.n_face_tiles)
#pragma unroll
                  for (int j = 0; j < mode_batch; ++j)
                    if (first + j < n_tiles)
                      multiply_add(values[q],
                                   modes[j],
                                   __ldg(face_operands(number, first_tile + q) + 32 * (first + j)),
                                   has_second_step(first + j));
            }
#pragma unroll
          for (int q = 0; q < point_batch; ++q)
            if (elements != 0 && first_tile + q < operands.n_face_tiles)
              store_traces(slot, first_tile + q, i, values[q]);
        }
    }

    __device__ __forceinline__ void
    add_modes_across(const FaceRecord &across,
                     const int         element,
                     const int         first,
                     double (&to)[mode_batch][2][n_in]) const
    {
      if (across.at_boundary())
        add_modes(arg.inflow, element, first, 0, to);
      else
#pragma unroll
        for (int i = 0; i < Form::n_inputs; ++i)
          add_modes(arg.inputs[i], across.neighbor, first, i * Form::n_components, to);
    }

    /// What the faces contribute whose traces are there.
    __device__ __forceinline__ void
    add_faces(const int begin_face)
    {
#pragma unroll 1
      for (int slot = 0; slot < faces_at_a_time; ++slot)
        {
          const int        f      = begin_face + slot;
          const FaceRecord across = face(rank, f);
          Direction        normal;
          const double     length = set_normal(f, normal);
#pragma unroll 1
          for (int q = 0; q < operands.n_face_tiles; ++q)
            {
              const double2 *from = face_operands(f, q);
              double         values[2][n_in], flux[2][n_out];
              interpolate(from, values);
#pragma unroll
              for (int k = 0; k < 2; ++k)
                {
                  const Output here =
                    flux_at(across, f, slot, 8 * q + 4 * k + t, at_point(values[k]), normal);
#pragma unroll
                  for (int c = 0; c < n_out; ++c)
                    flux[k][c] = length * here[c];
                }
              test(from + 32 * n_tiles, flux);
            }
        }
    }

    /// The unit normal; returns the face's area over |det J|.
    __device__ __forceinline__ double
    set_normal(const int f, Direction &normal) const
    {
#pragma unroll
      for (int d = 0; d < dim; ++d)
        {
          normal[d] = 0.;
#pragma unroll
          for (int r = 0; r < dim; ++r)
            normal[d] += __ldg(arg.tables.face_normals + f * dim + r) * inverse_jacobian[r][d];
        }
      const double square = dot<dim>(normal, normal), inverse = rsqrt(square);
#pragma unroll
      for (int d = 0; d < dim; ++d)
        normal[d] *= inverse;
      return square * inverse;
    }

    __device__ __forceinline__ Output
    flux_at(const FaceRecord &across,
            const int         f,
            const int         slot,
            const int         point,
            const Input      &inside,
            const Direction  &normal) const
    {
      const int n_points = arg.tables.n_face_points;
      Output    flux{};
      if (point >= n_points) // fills up a tile
        return flux;
      if (!across.at_boundary())
        {
          const int there =
            __ldg(arg.tables.face_permutations + across.orientation * n_points + point);
          const int owner = is_inside(across, f) ? across.neighbor - begin : rank;
          flux            = arg.form.numerical_flux(inside, traces_at(slot, there, owner), normal);
        }
      else
        {
          const int b     = across.neighbor;
          auto      given = arg.given(b, point, n_points);
          if (arg.takes_inflow())
            {
              const Input inflow = traces_at(slot, point, rank);
              for (int c = 0; c < Form::n_components; ++c)
                given[c] += inflow[c];
            }
          flux = arg.form.boundary_flux(arg.kinds[b], inside, given, normal);
        }
      return flux;
    }

    __device__ __forceinline__ Input
    traces_at(const int slot, const int point, const int i) const
    {
      Input result;
#pragma unroll
      for (int c = 0; c < n_in; ++c)
        result[c] = trace(slot, c, point, i);
      return result;
    }

    /// Where a mode of component 0 of this lane is in vectors like the result.
    __device__ __forceinline__ std::size_t
                               position(const int j, const int i) const
    {
      return coefficient_index(begin + rank, 8 * j + 4 * i + t, n_modes, n_out);
    }

    /// Call `body(j, i)` for all modes of this lane.
    template <typename Body>
    __device__ __forceinline__ void
    for_modes(const Body &body) const
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (has_mode(j, i))
            body(j, i);
    }

    __device__ __forceinline__ void
    update()
    {
      if (begin + rank >= arg.mesh.end)
        return;
      // All that is read before the first that is written: compilers do not know that no two of
      // the vectors are the same.
      using Row = CudaKernels::Row<n_out, double>;
      double base[n_tiles][2][n_out];
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(base[j]);
#pragma unroll 1
      for (int term = 0; term < arg.base.n_terms; ++term)
        {
          const double  factor = arg.base.factors[term];
          const double *from   = arg.base.vectors[term];
          for_modes([&](const int j, const int i) {
            const Row row = Row::read(from + position(j, i));
            for (int c = 0; c < n_out; ++c)
              base[j][i][c] += factor * row.values[c].v;
          });
        }
      for_modes([&](const int j, const int i) {
        for (int c = 0; c < n_out; ++c)
          sums[j][i][c] *= arg.scale;
      });
      if (arg.accumulator != nullptr && arg.A != 0)
        for_modes([&](const int j, const int i) {
          const Row row = Row::read(arg.accumulator + position(j, i));
          for (int c = 0; c < n_out; ++c)
            sums[j][i][c] += arg.A * row.values[c].v;
        });
      if (arg.accumulator != nullptr)
        for_modes([&](const int j, const int i) { write(sums[j][i], arg.accumulator, j, i); });
      const double mass = arg.times_mass ? 1. / abs(determinant<dim>(inverse_jacobian)) : 1.;
      for_modes([&](const int j, const int i) {
        double values[n_out];
        for (int c = 0; c < n_out; ++c)
          values[c] = mass * (base[j][i][c] + arg.B * sums[j][i][c]);
        write(values, arg.out, j, i);
      });
    }

    __device__ __forceinline__ void
    write(const double (&values)[n_out], double *to, const int j, const int i) const
    {
      CudaKernels::Row<n_out, double> row;
#pragma unroll
      for (int c = 0; c < n_out; ++c)
        row.values[c] = values[c];
      row.write(to + position(j, i));
    }

    const Arguments    &arg;
    const FlowOperands &operands;
    const int           faces_at_a_time;
    const int           begin, warp, lane, t;
    const int           rank;   ///< of this lane's element in the block
    double *const       own;    ///< of this lane, `[j][i][c]`, if it stays in memory
    double *const       traces; ///< see trace()

    Direction inverse_jacobian[dim]; ///< `[r][d]`
    double    input[input_in_memory ? 1 : n_tiles][2][n_in];
    double    sums[n_tiles][2][n_out];
  };

  template <typename Form, int degree>
  __global__ void
    __launch_bounds__(32 * FlowBlock<Form, degree>::n_warps, FlowBlock<Form, degree>::min_blocks)
      flow_tensor_kernel(const __grid_constant__ FlowArguments<Form, double> arg,
                         const __grid_constant__ FlowOperands                operands,
                         const int                                           faces_at_a_time)
  {
    extern __shared__ double shared[];
    using Block = FlowBlock<Form, degree>;
    Block(arg,
          operands,
          faces_at_a_time,
          arg.mesh.begin + static_cast<int>(blockIdx.x) * Block::n_elements,
          shared)
      .run();
  }

  /// On devices that have such tensor cores.
  template <typename Form, int degree>
  class FlowTensorLauncher
  {
    using Block = FlowBlock<Form, degree>;

    static constexpr int dim = Form::dimension;

  public:
    explicit FlowTensorLauncher(const ElementTables<double> &host)
      : table(host)
      , operands(table.operands())
      , faces_at_a_time(Block::n_kept_faces(host.n_face_points))
      , shared_bytes(Block::memory(host.n_face_points) * sizeof(double))
    {
      CudaRuntime::check(cudaFuncSetAttribute(flow_tensor_kernel<Form, degree>,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              shared_bytes),
                         "shared memory of the operators of incompressible flow");
    }

    void
    operator()(const FlowArguments<Form, double> &arg) const
    {
      const int n_blocks = divide_up(arg.mesh.end - arg.mesh.begin, Block::n_elements);
      flow_tensor_kernel<Form, degree>
        <<<n_blocks, 32 * Block::n_warps, shared_bytes, CudaRuntime::stream()>>>(arg,
                                                                                 operands,
                                                                                 faces_at_a_time);
    }

  private:
    const FlowOperandTable<dim> table;
    const FlowOperands          operands;
    const int                   faces_at_a_time, shared_bytes;
  };
} // namespace Saltus::CudaKernels

#endif
