// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_stabilization_tensor_cuh
#define saltus_cuda_operators_flow_stabilization_tensor_cuh

// The stabilization operator with tensor cores in double precision, see element_warp.cuh.
//
// Divergences are expanded in the modes of one degree less, by the matrices of the derivatives in
// reference directions; the transposed ones make sums of them. Of these matrices the tiles are left
// out that couple no mode with one of less degree. On a face only the normal component has values,
// inside and outside being the two components of a product.

#include <saltus/operators/flow/kernels/stabilization_element.h>

#include <algorithm>
#include <cuda/operators/spaces/element_warp.cuh>

namespace Saltus::CudaKernels
{
  /// The work of a warp, see ElementWarpProgram. Operands of the volume, for tiles q of modes of a
  /// degree less: `[j][r][q][derivatives of tile j, then sums][lane][step]`.
  /// @tparam Family StabilizationFamily
  template <typename Family, int degree>
  class StabilizationWarp : ElementWarp<Family::dim, degree>
  {
    static constexpr int dim = Family::dim;

    using Lanes = ElementWarp<dim, degree>;
    using Lanes::accessed;
    using Lanes::element;
    using Lanes::geometry;
    using Lanes::has_step;
    using Lanes::lane;
    using Lanes::multiply_add;
    using Lanes::n_modes;
    using Lanes::n_tiles;
    using Lanes::set_zero;
    using Lanes::t;

    static constexpr int n_divergences      = Simplex<dim>::n_modes(degree - 1);
    static constexpr int n_divergence_tiles = divide_up(n_divergences, 8);
    static constexpr int n_points           = Simplex<dim - 1>::n_quadrature_points(2 * degree);
    static constexpr int n_point_tiles      = divide_up(n_points, 8); ///< of one face

    /// Tiles of modes that are read at a time.
    static constexpr int mode_batch = std::min(12 / dim, n_tiles);

    using KeptInput = KeptModes<n_tiles, dim>;

    using Direction = Array<double, dim>;
    using Component = double[2][1];

  public:
    using Lanes::make_face_operands;
    using Lanes::n_face_operands;
    using Arguments = StabilizationArguments<dim, double>;

    static constexpr int n_warps = 4; ///< of a block

    /// So that registers suffice: numbers that a lane keeps in them.
    static constexpr int n_numbers =
      2 * n_tiles * dim * (KeptInput::in_memory ? 1 : 2) +
      std::max(2 * n_divergence_tiles, 2 * mode_batch * dim + 4 * n_point_tiles);
    static constexpr int min_blocks = n_numbers <= 22   ? 8
                                      : n_numbers <= 28 ? 5
                                      : n_numbers <= 52 ? 4
                                      : n_numbers <= 64 ? 3
                                                        : 2;

    static constexpr bool is_faster = dim == 3 || degree > 1;

    static constexpr int
    memory(const int n_face_tiles)
    {
      return KeptInput::memory + n_face_tiles * 64;
    }

    /// Whether the number of points is the one that is compiled in.
    static constexpr bool
    fits(const int n_face_points)
    {
      return n_face_points == n_points;
    }

    static constexpr int
    n_volume_operands(const int)
    {
      return n_tiles * dim * n_divergence_tiles * 2 * 64;
    }

    static void
    make_volume_operands(const ElementTables<double> &from, OperandList &table)
    {
      const auto entry = [&](const int r, const int row, const int column) {
        double sum = 0.;
        if (row < n_divergences && column < n_modes)
          for (int q = 0; q < from.n_volume_points; ++q)
            sum += from.volume_weights[q] * from.volume_values[q * n_modes + row] *
                   from.volume_gradients[(q * dim + r) * n_modes + column];
        return sum;
      };
      for (int j = 0; j < n_tiles; ++j)
        for (int r = 0; r < dim; ++r)
          for (int q = 0; q < n_divergence_tiles; ++q)
            {
              double tile[8][8] = {};
              if (couples(j, q))
                for (int i = 0; i < 64; ++i)
                  tile[i / 8][i % 8] = entry(r, 8 * q + i / 8, 8 * j + i % 8);
              append_operand(table, [&](const int k, const int n) { return tile[n][k]; });
              append_operand(table, [&](const int k, const int n) { return tile[k][n]; });
            }
    }

    __device__ __forceinline__
    StabilizationWarp(const Arguments    &arg,
                      const WarpOperands &operands,
                      const int           first,
                      double             *memory)
      : Lanes(arg.mesh, first)
      , arg(arg)
      , operands(operands)
      , traces(memory + KeptInput::memory)
      , input(memory + lane)
    {}

    __device__ __forceinline__ void
    run()
    {
      weight = this->set_normal(arg.tables, t <= dim ? t : dim, normal_of_lane);
      CudaRuntime::wait_for_kernel_before();
      load();
      if (arg.divergence_factor > 0)
        add_divergence();
      if (arg.jump_factor > 0)
        {
          weight *= arg.jump_penalty(element, this->face_of_lane);
#pragma unroll 1
          for (int f = 0; f <= dim; ++f)
            add_jumps(f);
        }
      write();
    }

  private:
    /// Normal of face @p f of the element of another lane.
    __device__ __forceinline__ Direction
    normal(const int f, const int of_lane) const
    {
      Direction result;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        result[d] = __shfl_sync(~0U, normal_of_lane[d], of_lane - of_lane % 4 + f);
      return result;
    }

    /// Call `body(j, i, row)` for the modes of element @p of in a batch of tiles from @p first on.
    template <typename Body>
    __device__ __forceinline__ void
    read(const int of, const int first, const Body &body) const
    {
      Row<dim, double> rows[mode_batch][2];
      this->read_modes(arg.u, of, first, rows);
#pragma unroll
      for (int j = 0; j < mode_batch; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (has_step(first + j, i))
            body(j, i, rows[j][i]);
    }

    /// The input, with which sums begin.
    __device__ __forceinline__ void
    load()
    {
      set_zero(sums);
#pragma unroll
      for (int first = 0; first < n_tiles; first += mode_batch)
        read(accessed, first, [&](const int j, const int i, const Row<dim, double> &row) {
#pragma unroll
          for (int d = 0; d < dim; ++d)
            sums[first + j][i][d] = row.values[d].v;
        });
      this->hand_over(sums);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        input.set(j, sums[j]);
    }

    /// The components of the input in a direction, of tile @p j.
    __device__ __forceinline__ void
    component(const Direction &direction, const int j, Component &to) const
    {
      double modes[2][dim];
      input.get(j, modes);
#pragma unroll
      for (int i = 0; i < 2; ++i)
        to[i][0] = dot<dim>(direction, Lanes::as_array(modes[i]));
    }

    __device__ __forceinline__ void
    add_to_sums(const int j, const Component &sum, const Direction &direction)
    {
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int d = 0; d < dim; ++d)
          sums[j][i][d] += sum[i][0] * direction[d];
    }

    /// Whether derivatives of modes in tile @p j have modes in tile @p q.
    static constexpr __device__ __forceinline__ bool
    couples(const int j, const int q)
    {
      int first = 0; // mode that has a greater degree than the first one of tile q
      for (int p = 0; first <= 8 * q; ++p)
        first = Simplex<dim>::n_modes(p);
      return first < 8 * (j + 1);
    }

    __device__ __forceinline__ const double2 *
    derivatives(const int j, const int r, const int q) const
    {
      return operands.volume + ((j * dim + r) * n_divergence_tiles + q) * 64 + lane;
    }

    __device__ __forceinline__ void
    add_divergence()
    {
      Component divergence[n_divergence_tiles];
      set_zero(divergence);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int r = 0; r < dim; ++r)
          {
            Component along;
            component(geometry.metric(r), j, along);
#pragma unroll
            for (int q = 0; q < n_divergence_tiles; ++q)
              if (couples(j, q))
                multiply_add(divergence[q], along, __ldg(derivatives(j, r, q)), has_step(j, 1));
          }
      const double penalty = arg.divergence_penalty(element);
#pragma unroll
      for (int q = 0; q < n_divergence_tiles; ++q)
        for (int i = 0; i < 2; ++i)
          divergence[q][i][0] *= penalty;
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int r = 0; r < dim; ++r)
          {
            Component sum;
            set_zero(sum);
#pragma unroll
            for (int q = 0; q < n_divergence_tiles; ++q)
              if (couples(j, q))
                multiply_add(sum,
                             divergence[q],
                             __ldg(derivatives(j, r, q) + 32),
                             8 * q + 4 < n_divergences);
            add_to_sums(j, sum, geometry.metric(r));
          }
    }

    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int q) const
    {
      return Lanes::face_operands(operands.faces, n_point_tiles, f, q);
    }

    /// Normal components on face @p f at the points of the face that is number @p number on the
    /// neighbours' side: of the neighbours' values as last component, before it of those inside.
    template <int n>
    __device__ __forceinline__ void
    interpolate(const int f, const int number, double (&values)[n_point_tiles][2][n]) const
    {
      const Direction along     = normal(f, lane);
      const Direction there     = normal(f, this->lane_of_accessed());
      const int       neighbors = this->face(f, this->lane_of_accessed()).element_across(accessed);
      set_zero(values);
#pragma unroll
      for (int first = 0; first < n_tiles; first += mode_batch)
        {
          Component outside[mode_batch];
          set_zero(outside);
          read(neighbors, first, [&](const int j, const int i, const Row<dim, double> &row) {
            outside[j][i][0] = row.values[0].v * there[0];
#pragma unroll
            for (int d = 1; d < dim; ++d)
              outside[j][i][0] += row.values[d].v * there[d];
          });
          this->hand_over(outside);
#pragma unroll
          for (int j = 0; j < mode_batch; ++j)
            if (first + j < n_tiles)
              {
                Component inside;
                double    modes[2][n];
                if constexpr (n == 2)
                  component(along, first + j, inside);
#pragma unroll
                for (int i = 0; i < 2; ++i)
                  {
                    if constexpr (n == 2)
                      modes[i][0] = inside[i][0];
                    modes[i][n - 1] = outside[j][i][0];
                  }
#pragma unroll
                for (int q = 0; q < n_point_tiles; ++q)
                  multiply_add(values[q],
                               modes,
                               __ldg(face_operands(number, q) + 32 * (first + j)),
                               has_step(first + j, 1));
              }
        }
    }

    /// Leave the neighbours' values where they are @p wanted.
    template <int n>
    __device__ __forceinline__ void
    set_traces(const double (&values)[n_point_tiles][2][n], const bool wanted) const
    {
      if (wanted)
#pragma unroll
        for (int q = 0; q < n_point_tiles; ++q)
#pragma unroll
          for (int i = 0; i < 2; ++i)
            traces[this->place_of_trace(8 * q + 4 * i + t)] = values[q][i][n - 1];
    }

    __device__ __forceinline__ void
    add_jumps(const int f)
    {
      const FaceRecord across = this->face(f, lane);
      const int        number = this->number_across(across, f);
      double           values[n_point_tiles][2][2];
      interpolate(f, f, values);
      __syncwarp();
      set_traces(values, number == f);
      this->for_numbers(number,
                        __ballot_sync(~0U, number != f),
                        [&](const int present, const bool wanted) {
                          Component others[n_point_tiles];
                          interpolate(f, present, others);
                          set_traces(others, wanted);
                        });
      __syncwarp();

      const double weight_here = __shfl_sync(~0U, weight, lane - t + f);
      Component    jumps[n_point_tiles];
#pragma unroll
      for (int q = 0; q < n_point_tiles; ++q)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          {
            const int point = this->point_across(across, 8 * q + 4 * i + t, n_points, arg.tables);
            jumps[q][i][0]  = weight_here * (values[q][i][0] - traces[this->place_of_trace(point)]);
          }
      const Direction along = normal(f, lane);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
          Component sum;
          set_zero(sum);
#pragma unroll
          for (int q = 0; q < n_point_tiles; ++q)
            multiply_add(sum,
                         jumps[q],
                         __ldg(face_operands(f, q) + 32 * (n_tiles + j)),
                         8 * q + 4 < n_points);
          add_to_sums(j, sum, along);
        }
    }

    __device__ __forceinline__ void
    write()
    {
      const double mass = __shfl_sync(~0U, geometry.volume_factor(), this->lane_of_accessed());
      this->hand_back(sums);
      if (accessed < arg.mesh.end)
        this->for_modes([&](const int j, const int i) {
#pragma unroll
          for (int d = 0; d < dim; ++d)
            sums[j][i][d] *= mass;
          this->write_mode(sums[j][i], arg.out, j, i);
        });
    }

    const Arguments    &arg;
    const WarpOperands &operands;
    double *const       traces; ///< the neighbours' values on a face

    Direction normal_of_lane; ///< of face t
    double    weight;         ///< its area over |det J|, then times the penalty
    KeptInput input;
    double    sums[n_tiles][2][dim];
  };
} // namespace Saltus::CudaKernels

#endif
