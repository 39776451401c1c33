// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_flow_tensor_cuh
#define saltus_cuda_operators_flow_flow_tensor_cuh

// First derivatives of incompressible flow with tensor cores in double precision, see
// element_warp.cuh.

#include <saltus/operators/flow/kernels/flow_launcher.h>

#include <algorithm>
#include <cuda/operators/spaces/element_warp.cuh>

namespace Saltus::CudaKernels
{
  /// The work of a warp, see ElementWarpProgram. Operands of the volume, for tiles q of points:
  /// `[q][values, then gradients in each direction][j][lane][step]`.
  /// @tparam Family see FlowFamily
  template <typename Family, int degree>
  class FlowWarp : ElementWarp<Family::dim, degree>
  {
    using Form = typename Family::Form;

    static constexpr int dim  = Form::dimension;
    static constexpr int n_in = Form::n_in, n_out = Form::n_out;

    using Lanes = ElementWarp<dim, degree>;
    using Lanes::accessed;
    using Lanes::as_array;
    using Lanes::element;
    using Lanes::face;
    using Lanes::for_modes;
    using Lanes::geometry;
    using Lanes::hand_over;
    using Lanes::has_mode;
    using Lanes::has_step;
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

    using KeptInput = KeptModes<n_tiles, n_in>;

    using Input     = Array<double, n_in>;
    using Output    = Array<double, n_out>;
    using Direction = Array<double, dim>;

  public:
    using Lanes::make_face_operands;
    using Lanes::n_face_operands;
    using Arguments = FlowArguments<Form, double>;

    static constexpr int n_warps = 4; ///< of a block

    /// So that registers suffice: numbers that a lane keeps in them.
    static constexpr int n_numbers = 2 * n_tiles * ((KeptInput::in_memory ? 0 : n_in) + n_out) +
                                     2 * (mode_batch + point_batch) * n_in;
    static constexpr int min_blocks = n_numbers <= 20   ? 5
                                      : n_numbers <= 36 ? 4
                                      : n_numbers <= 60 ? 3
                                                        : 2;

    static constexpr bool
      is_faster = degree > 1 || (Form::n_in > 1 && (Form::n_out > 1 || Form::dimension == 3));

    static constexpr bool
    fits(const int)
    {
      return true;
    }

    static constexpr int
    memory(const int n_face_tiles)
    {
      return KeptInput::memory + n_in * n_face_tiles * 64;
    }

    static constexpr int
    n_volume_operands(const int n_volume_tiles)
    {
      return n_volume_tiles * (1 + dim) * n_tiles * 64;
    }

    static void
    make_volume_operands(const ElementTables<double> &from, OperandList &table)
    {
      const int  nv    = from.n_volume_points;
      const auto entry = [&](const double *row, const int m) { return m < n_modes ? row[m] : 0.; };
      for (int q = 0; q < nv; q += 8)
        {
          append_operands(table, n_modes, [&](const int j, const int k, const int n) {
            return q + n < nv ? entry(from.volume_values + (q + n) * n_modes, j + k) : 0.;
          });
          for (int r = 0; r < dim; ++r)
            append_operands(table, n_modes, [&](const int j, const int k, const int n) {
              return q + k < nv
                       ? -from.volume_weights[q + k] *
                           entry(from.volume_gradients + ((q + k) * dim + r) * n_modes, j + n)
                       : 0.;
            });
        }
    }

    __device__ __forceinline__
    FlowWarp(const Arguments &arg, const WarpOperands &operands, const int first, double *memory)
      : Lanes(arg.mesh, first)
      , arg(arg)
      , operands(operands)
      , traces(memory + KeptInput::memory)
      , input(memory + lane)
    {}

    __device__ __forceinline__ void
    run()
    {
      CudaRuntime::wait_for_kernel_before();
      load_input();
      prefetch_old();
      set_zero(sums);
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
                   CoefficientLayout{n_modes, n_out}.index(element - lane / 4, i / lines) +
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
#pragma unroll
      for (int k = 0; k < n_reads; ++k)
        {
          const auto &sum = sum_of(k);
          this->read_modes(sum.vectors[k == 2 && sum.n_terms > 1 ? 1 : 0], of, first, to[k]);
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
              if (has_step(first + j, i))
                to[j][i][c] = factors[input] * rows[input][j][i].values[c % nc].v;
              if (n_reads == 3 && input == 1 && has_step(first + j, i))
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
          const double *from =
            sum.vectors[term] + CoefficientLayout{n_modes, nc}.index(of, lane / 8);
#pragma unroll
          for (int j = 0; j < n; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
              if (has_mode(first + j, i))
                {
                  const auto row =
                    Row<nc, double>::read(from + (8 * (first + j) + 4 * i) *
                                                   CoefficientLayout{n_modes, nc}.mode_stride());
#pragma unroll
                  for (int c = 0; c < nc; ++c)
                    to[j][i][component + c] += factor * row.values[c].v;
                }
        }
    }

    __device__ __forceinline__ void
    load_input()
    {
      constexpr int n = KeptInput::in_memory ? mode_batch : n_tiles;
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
            if (first + j < n_tiles)
              input.set(first + j, modes[j]);
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
          double        modes[2][n_in];
          input.get(j, modes);
          multiply_add(values, modes, b, has_step(j, 1));
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
          const Input points[2] = {as_array(values[0]), as_array(values[1])};
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

    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int q) const
    {
      return Lanes::face_operands(operands.faces, operands.n_face_tiles, f, q);
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
          set_zero(values);
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
                                   has_step(first + j, 1));
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
      __syncwarp();
      this->for_numbers(this->number_across(across, f),
                        ~0U,
                        [&](const int present, const bool wanted) {
                          set_traces(f, present, wanted);
                        });
      __syncwarp();

      Direction    normal;
      const double length = this->set_normal(arg.tables, f, normal);
#pragma unroll 1
      for (int q = 0; q < operands.n_face_tiles; ++q)
        {
          const double2 *from = face_operands(f, q);
          double         values[2][n_in], flux[2][n_out];
          interpolate(from, values);
#pragma unroll
          for (int i = 0; i < 2; ++i)
            {
              const Output here = flux_at(across, 8 * q + 4 * i + t, as_array(values[i]), normal);
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
      const int  slot     = this->point_across(across, point, n_points, arg.tables);
      Input      outside;
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
      set_zero(base);
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
    const WarpOperands &operands;
    double *const       traces; ///< see trace()

    KeptInput input;
    double    sums[n_tiles][2][n_out];
  };
} // namespace Saltus::CudaKernels

#endif
