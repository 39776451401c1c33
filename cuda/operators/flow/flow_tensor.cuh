// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_flow_tensor_cuh
#define saltus_cuda_operators_flow_flow_tensor_cuh

// First derivatives of incompressible flow with tensor cores in double precision, see
// element_warp.cuh.

#include <saltus/operators/flow/kernels/flow_launcher.h>

#include <algorithm>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/spaces/element_warp.cuh>
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
      const auto add   = [&](const auto &operand) {
        for (int j = 0; j < n_modes; j += 8)
          append_operand(result, [&](const int k, const int n) { return operand(j, k, n); });
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

  /// What one warp does.
  template <typename Form, int degree>
  class FlowWarp : ElementWarp<Form::dimension, degree>
  {
    static constexpr int dim  = Form::dimension;
    static constexpr int n_in = Form::n_in, n_out = Form::n_out;

    using Lanes = ElementWarp<dim, degree>;
    using Lanes::accessed;
    using Lanes::element;
    using Lanes::face;
    using Lanes::for_modes;
    using Lanes::geometry;
    using Lanes::hand_over;
    using Lanes::has_mode;
    using Lanes::has_second_step;
    using Lanes::lane;
    using Lanes::multiply_add;
    using Lanes::n_modes;
    using Lanes::n_tiles;
    using Lanes::set_zero;
    using Lanes::t;

    /// Tiles of a neighbour's modes, and of the points of a face, that are worked on at a time.
    static constexpr int mode_batch = std::clamp(12 / n_in, 1, n_tiles);
    static constexpr int point_batch =
      dim == 2 ? divide_up(3 * degree / 2 + 1, 8) : std::min(degree, 3);

    /// Whether the input stays in shared memory, since there are too few registers.
    static constexpr bool input_in_memory = 2 * n_tiles * n_in > 32;
    static constexpr int  input_size      = input_in_memory ? n_tiles * 2 * n_in * 32 : 0;

    using Input     = Array<double, n_in>;
    using Output    = Array<double, n_out>;
    using Direction = Array<double, dim>;

  public:
    using Arguments = FlowArguments<Form, double>;

    static constexpr int n_warps = 4; ///< of a block

    /// So that registers suffice: numbers that a lane keeps in them.
    static constexpr int n_numbers =
      2 * n_tiles * ((input_in_memory ? 0 : n_in) + n_out) + 2 * (mode_batch + point_batch) * n_in;
    static constexpr int min_blocks = n_numbers <= 20   ? 5
                                      : n_numbers <= 36 ? 4
                                      : n_numbers <= 60 ? 3
                                                        : 2;

    /// Shared memory of a warp, in numbers.
    static int
    memory(const int n_face_tiles)
    {
      return input_size + n_in * n_face_tiles * 64;
    }

    __device__ __forceinline__
    FlowWarp(const Arguments &arg, const FlowOperands &operands, const int first, double *memory)
      : Lanes(arg.mesh, first)
      , arg(arg)
      , operands(operands)
      , own(memory + lane)
      , traces(memory + input_size)
    {}

    __device__ __forceinline__ void
    run()
    {
      CudaRuntime::wait_for_kernel_before();
      load_input();
      prefetch_old();
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(sums[j]);
      add_volume();
#pragma unroll 1
      for (int f = 0; f <= dim; ++f)
        add_face(f);
      update();
    }

  private:
    /// Let what the update adds to come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_old() const
    {
      constexpr int lines = divide_up(8 * n_out, in_line<double>); // of a mode
      if (arg.accumulator != nullptr)
        for (int i = lane; i < n_modes * lines; i += 32)
          prefetch(arg.accumulator +
                   coefficient_index(element - lane / 4, i / lines, n_modes, n_out) +
                   i % lines * in_line<double>);
    }

    /// Terms of the inputs that are read at once, so that they are waited for once: the first of
    /// each, and the second of the last one if there are several, which most often is a sum.
    static constexpr int n_reads = Form::n_inputs == 1 ? 1 : 3;

    /// What is read of some tiles of modes.
    template <int n>
    using Rows = Row<Form::n_components, double>[n_reads][n][2];

    __device__ __forceinline__ const Combination<double>                                  &
    sum_of(const int read) const
    {
      return arg.inputs[read == 0 ? 0 : Form::n_inputs - 1];
    }

    /// Read modes of element @p of in the tiles from @p first on.
    template <int n>
    __device__ __forceinline__ void
    read(const int of, const int first, Rows<n> &to) const
    {
      constexpr int     nc    = Form::n_components;
      const std::size_t start = coefficient_index(of, 0, n_modes, nc);
#pragma unroll
      for (int k = 0; k < n_reads; ++k)
        {
          const auto   &sum  = sum_of(k);
          const double *from = sum.vectors[k == 2 && sum.n_terms > 1 ? 1 : 0] + start;
#pragma unroll
          for (int j = 0; j < n; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
              if (8 * (first + j) + 4 * i < n_modes)
                to[k][j][i] = Lanes::template read_mode<nc>(from, first + j, i);
        }
    }

    /// The inputs, of which @p rows have been read.
    template <int n>
    __device__ __forceinline__ void
    add_up(const Rows<n> &rows, const int of, const int first, double (&to)[n][2][n_in]) const
    {
      constexpr int nc = Form::n_components;
      double        factors[n_reads];
#pragma unroll
      for (int k = 0; k < n_reads; ++k)
        factors[k] = k < 2                   ? sum_of(k).factors[0]
                     : sum_of(k).n_terms > 1 ? sum_of(k).factors[1]
                                             : 0.;
#pragma unroll
      for (int j = 0; j < n; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int c = 0; c < n_in; ++c)
            {
              const int input = c / nc;
              to[j][i][c]     = 0.;
              if (8 * (first + j) + 4 * i < n_modes)
                to[j][i][c] = factors[input] * rows[input][j][i].values[c % nc].v;
              if (n_reads == 3 && input == 1 && 8 * (first + j) + 4 * i < n_modes)
                to[j][i][c] += factors[n_reads - 1] * rows[n_reads - 1][j][i].values[c % nc].v;
            }
#pragma unroll
      for (int i = 0; i < Form::n_inputs; ++i)
        add_terms(arg.inputs[i], i == 0 ? 1 : 2, of, first, i * nc, to);
    }

    /// Add the terms of a sum of vectors from @p first_term on, with as many components as an
    /// input, to the components from @p component on of modes in the tiles from @p first on.
    template <int n>
    __device__ __forceinline__ void
    add_terms(const Combination<double> &sum,
              const int                  first_term,
              const int                  of,
              const int                  first,
              const int                  component,
              double (&to)[n][2][n_in]) const
    {
      constexpr int nc = Form::n_components;
#pragma unroll 1
      for (int term = first_term; term < sum.n_terms; ++term)
        {
          const double  factor = sum.factors[term];
          const double *from   = sum.vectors[term] + coefficient_index(of, lane / 8, n_modes, nc);
#pragma unroll
          for (int j = 0; j < n; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
              if (has_mode(first + j, i))
                {
                  const auto row =
                    Row<nc, double>::read(from + (8 * (first + j) + 4 * i) * mode_stride(nc));
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
          Rows<n> rows;
          double  modes[n][2][n_in];
          read(accessed, first, rows);
          add_up(rows, accessed, first, modes);
          hand_over(modes);
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
                  const Output here = arg.form.flux(points[i], geometry.metric(r));
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

    /// What the neighbour has of component @p c at point number @p point.
    __device__ __forceinline__ double &
    trace(const int c, const int point) const
    {
      return traces[c * operands.n_face_tiles * 64 + this->place_of_trace(point)];
    }

    /// Modes of the neighbours.
    __device__ __forceinline__ void
    read_across(const int f, const int first, double (&modes)[mode_batch][2][n_in]) const
    {
      const FaceRecord across   = face(f, this->lane_of_accessed());
      const int        neighbor = across.element_across(accessed);
      Rows<mode_batch> rows;
      read(neighbor, first, rows);
      add_up(rows, neighbor, first, modes);
      hand_over(modes);
    }

    /// Leave the values of the neighbours across face @p f in traces, at the points of the face
    /// that is number @p number on their side, if this is @p wanted.
    __device__ __forceinline__ void
    set_traces(const int f, const int number, const bool wanted) const
    {
#pragma unroll 1
      for (int begin = 0; begin < operands.n_face_tiles; begin += point_batch)
        {
          double values[point_batch][2][n_in];
#pragma unroll
          for (int q = 0; q < point_batch; ++q)
            set_zero(values[q]);
#pragma unroll
          for (int first = 0; first < n_tiles; first += mode_batch)
            {
              double modes[mode_batch][2][n_in];
              read_across(f, first, modes);
#pragma unroll
              for (int q = 0; q < point_batch; ++q)
                if (begin + q < operands.n_face_tiles)
#pragma unroll
                  for (int j = 0; j < mode_batch; ++j)
                    if (first + j < n_tiles)
                      multiply_add(values[q],
                                   modes[j],
                                   __ldg(face_operands(number, begin + q) + 32 * (first + j)),
                                   has_second_step(first + j));
            }
#pragma unroll
          for (int q = 0; q < point_batch; ++q)
            if (wanted && begin + q < operands.n_face_tiles)
#pragma unroll
              for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int c = 0; c < n_in; ++c)
                  trace(c, 8 * (begin + q) + 4 * i + t) = values[q][i][c];
        }
    }

    __device__ __forceinline__ void
    add_face(const int f)
    {
      const FaceRecord across = face(f, lane);
      const int        number = across.at_boundary() ? f : across.face; // on the other side
      __syncwarp();
      for (unsigned int left = ~0U; left != 0;)
        {
          const int  present = __shfl_sync(~0U, number, __ffs(left) - 1);
          const bool wanted  = number == present;
          set_traces(f, present, wanted);
          left &= ~__ballot_sync(~0U, wanted);
        }
      __syncwarp();

      Direction    normal;
      const double length = geometry.set_normal(
        [&](const int r) { return __ldg(arg.tables.face_normals + f * dim + r); }, normal);
#pragma unroll 1
      for (int q = 0; q < operands.n_face_tiles; ++q)
        {
          const double2 *from = face_operands(f, q);
          double         values[2][n_in], flux[2][n_out];
          interpolate(from, values);
#pragma unroll
          for (int i = 0; i < 2; ++i)
            {
              const Output here = flux_at(across, 8 * q + 4 * i + t, at_point(values[i]), normal);
#pragma unroll
              for (int c = 0; c < n_out; ++c)
                flux[i][c] = length * here[c];
            }
          test(from + 32 * n_tiles, flux);
        }
    }

    __device__ __forceinline__ Output
    flux_at(const FaceRecord &across,
            const int         point,
            const Input      &inside,
            const Direction  &normal) const
    {
      const int  n_points = arg.tables.n_face_points;
      const bool exists   = point < n_points; // or it fills up a tile
      int        slot     = point;
      if (exists && !across.at_boundary())
        slot = __ldg(arg.tables.face_permutations + across.orientation * n_points + point);
      Input outside;
#pragma unroll
      for (int c = 0; c < n_in; ++c)
        outside[c] = trace(c, slot);
      if (!exists || !across.at_boundary())
        return arg.form.numerical_flux(inside, outside, normal);
      const int b = across.neighbor;
      return arg.form.boundary_flux(arg.kinds[b], inside, arg.given(b, point, n_points), normal);
    }

    __device__ __forceinline__ void
    update()
    {
      const double mass      = arg.times_mass ? geometry.volume_factor() : 1.;
      const double mass_here = __shfl_sync(~0U, mass, this->lane_of_accessed());
      this->hand_back(sums);
      if (accessed >= arg.mesh.end)
        return;
      // All that is read before the first that is written: compilers do not know that no two of
      // the vectors are the same.
      using Row           = CudaKernels::Row<n_out, double>;
      const auto position = [&](const int j, const int i) {
        return Lanes::template position<n_out>(j, i);
      };
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
        for_modes(
          [&](const int j, const int i) { this->write_mode(sums[j][i], arg.accumulator, j, i); });
      for_modes([&](const int j, const int i) {
        double values[n_out];
        for (int c = 0; c < n_out; ++c)
          values[c] = mass_here * (base[j][i][c] + arg.B * sums[j][i][c]);
        this->write_mode(values, arg.out, j, i);
      });
    }

    const Arguments    &arg;
    const FlowOperands &operands;
    double *const       own;    ///< of this lane, `[j][i][c]`, if it stays in memory
    double *const       traces; ///< see trace()

    double input[input_in_memory ? 1 : n_tiles][2][n_in];
    double sums[n_tiles][2][n_out];
  };

  template <typename Form, int degree>
  __global__ void
    __launch_bounds__(32 * FlowWarp<Form, degree>::n_warps, FlowWarp<Form, degree>::min_blocks)
      flow_tensor_kernel(const __grid_constant__ FlowArguments<Form, double> arg,
                         const __grid_constant__ FlowOperands                operands,
                         const int                                           memory)
  {
    CudaRuntime::let_next_kernel_begin();
    extern __shared__ double shared[];
    constexpr int            n_warps = FlowWarp<Form, degree>::n_warps;
    const int                warp    = threadIdx.x / 32;
    const int first = arg.mesh.begin + 8 * (static_cast<int>(blockIdx.x) * n_warps + warp);
    if (first < arg.mesh.end)
      FlowWarp<Form, degree>(arg, operands, first, shared + warp * memory).run();
  }

  /// On devices that have such tensor cores.
  template <typename Form, int degree>
  class FlowTensorLauncher
  {
    using Warp = FlowWarp<Form, degree>;

  public:
    explicit FlowTensorLauncher(const ElementTables<double> &host)
      : table(host)
      , memory(Warp::memory(divide_up(host.n_face_points, 8)))
    {
      CudaRuntime::check(cudaFuncSetAttribute(flow_tensor_kernel<Form, degree>,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              shared_bytes()),
                         "shared memory of the operators of incompressible flow");
    }

    /// Whether they are faster than one thread an element, as was measured.
    static constexpr bool
    is_faster()
    {
      return degree > 1 || (Form::n_in > 1 && (Form::n_out > 1 || Form::dimension == 3));
    }

    static bool
    fits(const ElementTables<double> &)
    {
      return true;
    }

    void
    operator()(const FlowArguments<Form, double> &arg) const
    {
      launch_element_warps(flow_tensor_kernel<Form, degree>,
                           arg.mesh,
                           Warp::n_warps,
                           shared_bytes(),
                           arg,
                           table.operands(),
                           memory);
    }

  private:
    int
    shared_bytes() const
    {
      return Warp::n_warps * memory * sizeof(double);
    }

    const FlowOperandTable<Form::dimension> table;
    const int                               memory; ///< of a warp, in numbers
  };
} // namespace Saltus::CudaKernels

#endif
