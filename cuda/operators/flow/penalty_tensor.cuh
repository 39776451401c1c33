// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_penalty_tensor_cuh
#define saltus_cuda_operators_flow_penalty_tensor_cuh

// The penalty operator with tensor cores in double precision, see element_warp.cuh.
//
// Divergences are expanded in the modes of one degree less, by the matrices of the derivatives in
// reference directions; the transposed ones make sums of them. Of these matrices the tiles are left
// out that couple no mode with one of less degree. On a face only the normal component has values,
// inside and outside being the two components of a product.

#include <saltus/operators/flow/kernels/penalty_element.h>

#include <algorithm>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/spaces/element_warp.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// The operands B of a reference element:
  ///   derivatives  [j][r][q][derivatives of tile j, then sums][lane][step], for tiles q of modes
  ///   faces        [f][q][values, then test functions][j][lane][step], for tiles q of points
  struct PenaltyOperands
  {
    const double2 *derivatives, *faces;
  };

  /// What one warp does.
  template <int dim, int degree>
  class PenaltyWarp : ElementWarp<dim, degree>
  {
    using Lanes = ElementWarp<dim, degree>;
    using Lanes::accessed;
    using Lanes::element;
    using Lanes::geometry;
    using Lanes::has_second_step;
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

    /// Whether the input stays in shared memory, since there are too few registers.
    static constexpr bool input_in_memory = 2 * n_tiles * dim > 32;
    static constexpr int  input_size      = input_in_memory ? n_tiles * 2 * dim * 32 : 0;

    using Direction = Array<double, dim>;
    using Component = double[2][1];

  public:
    using Arguments = PenaltyArguments<dim, double>;

    static constexpr int n_warps = 4; ///< of a block

    /// Shared memory of a warp, in numbers.
    static constexpr int memory = input_size + n_point_tiles * 64;

    /// So that registers suffice: numbers that a lane keeps in them.
    static constexpr int n_numbers =
      2 * n_tiles * dim * (input_in_memory ? 1 : 2) +
      std::max(2 * n_divergence_tiles, 2 * mode_batch * dim + 4 * n_point_tiles);
    static constexpr int min_blocks = n_numbers <= 22   ? 8
                                      : n_numbers <= 28 ? 5
                                      : n_numbers <= 52 ? 4
                                      : n_numbers <= 64 ? 3
                                                        : 2;

    /// Whether the number of points is the one that this was compiled for.
    static bool
    fits(const ElementTables<double> &host)
    {
      return host.n_face_points == n_points;
    }

    static std::vector<double>
    make_derivatives(const ElementTables<double> &host)
    {
      const auto entry = [&](const int r, const int row, const int column) {
        double sum = 0.;
        if (row < n_divergences && column < n_modes)
          for (int q = 0; q < host.n_volume_points; ++q)
            sum += host.volume_weights[q] * host.volume_values[q * n_modes + row] *
                   host.volume_gradients[(q * dim + r) * n_modes + column];
        return sum;
      };
      std::vector<double> table;
      for (int j = 0; j < n_tiles; ++j)
        for (int r = 0; r < dim; ++r)
          for (int q = 0; q < n_divergence_tiles; ++q)
            {
              append_operand(table, [&](const int k, const int n) {
                return entry(r, 8 * q + n, 8 * j + k);
              });
              append_operand(table, [&](const int k, const int n) {
                return entry(r, 8 * q + k, 8 * j + n);
              });
            }
      return table;
    }

    static std::vector<double>
    make_faces(const ElementTables<double> &host)
    {
      const auto entry = [&](const int f, const int q, const int m) {
        return q < n_points && m < n_modes ? host.face_values[(f * n_points + q) * n_modes + m]
                                           : 0.;
      };
      std::vector<double> table;
      for (int f = 0; f <= dim; ++f)
        for (int q = 0; q < 8 * n_point_tiles; q += 8)
          {
            for (int j = 0; j < 8 * n_tiles; j += 8)
              append_operand(table,
                             [&](const int k, const int n) { return entry(f, q + n, j + k); });
            for (int j = 0; j < 8 * n_tiles; j += 8)
              append_operand(table, [&](const int k, const int n) {
                return q + k < n_points ? host.face_weights[q + k] * entry(f, q + k, j + n) : 0.;
              });
          }
      return table;
    }

    __device__ __forceinline__
    PenaltyWarp(const Arguments       &arg,
                const PenaltyOperands &operands,
                const int              first,
                double                *memory)
      : Lanes(arg.mesh, first)
      , arg(arg)
      , operands(operands)
      , own(memory + lane)
      , traces(memory + input_size)
    {}

    __device__ __forceinline__ void
    run()
    {
      set_normal();
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
    /// Normal and area over |det J| of the face of this lane.
    __device__ __forceinline__ void
    set_normal()
    {
      const int face = t <= dim ? t : dim;
      weight         = geometry.set_normal(
        [&](const int r) { return __ldg(arg.tables.face_normals + face * dim + r); },
        normal_of_lane);
    }

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
      const double    *start = arg.u + coefficient_index(of, 0, n_modes, dim);
      Row<dim, double> rows[mode_batch][2];
#pragma unroll
      for (int j = 0; j < mode_batch; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (8 * (first + j) + 4 * i < n_modes)
            rows[j][i] = Lanes::template read_mode<dim>(start, first + j, i);
#pragma unroll
      for (int j = 0; j < mode_batch; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (8 * (first + j) + 4 * i < n_modes)
            body(j, i, rows[j][i]);
    }

    /// The input, with which sums begin.
    __device__ __forceinline__ void
    load()
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(sums[j]);
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
#pragma unroll
        for (int i = 0; i < 2 * dim; ++i)
          if constexpr (input_in_memory)
            own[(j * 2 * dim + i) * 32] = sums[j][i / dim][i % dim];
          else
            input[j][i / dim][i % dim] = sums[j][i / dim][i % dim];
    }

    /// The components of the input in a direction, of tile @p j.
    __device__ __forceinline__ void
    component(const Direction &direction, const int j, Component &to) const
    {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        {
          Direction mode;
#pragma unroll
          for (int d = 0; d < dim; ++d)
            if constexpr (input_in_memory)
              mode[d] = own[((j * 2 + i) * dim + d) * 32];
            else
              mode[d] = input[j][i][d];
          to[i][0] = dot<dim>(direction, mode);
        }
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
      return operands.derivatives + ((j * dim + r) * n_divergence_tiles + q) * 64 + lane;
    }

    __device__ __forceinline__ void
    add_divergence()
    {
      Component divergence[n_divergence_tiles];
#pragma unroll
      for (int q = 0; q < n_divergence_tiles; ++q)
        set_zero(divergence[q]);
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
                multiply_add(divergence[q], along, __ldg(derivatives(j, r, q)), has_second_step(j));
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

    /// Of tile @p q of the points of face @p f: values, behind them test functions.
    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int q) const
    {
      return operands.faces + (f * n_point_tiles + q) * 2 * n_tiles * 32 + lane;
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
#pragma unroll
      for (int q = 0; q < n_point_tiles; ++q)
        set_zero(values[q]);
#pragma unroll
      for (int first = 0; first < n_tiles; first += mode_batch)
        {
          Component outside[mode_batch];
#pragma unroll
          for (int j = 0; j < mode_batch; ++j)
            set_zero(outside[j]);
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
                               has_second_step(first + j));
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
      const int        number = across.at_boundary() ? f : across.face; // on the other side
      double           values[n_point_tiles][2][2];
      interpolate(f, f, values);
      __syncwarp();
      set_traces(values, number == f);
      for (unsigned int left = __ballot_sync(~0U, number != f); left != 0;)
        {
          const int present = __shfl_sync(~0U, number, __ffs(left) - 1);
          Component others[n_point_tiles];
          interpolate(f, present, others);
          set_traces(others, number == present);
          left &= ~__ballot_sync(~0U, number == present);
        }
      __syncwarp();

      const double weight_here = __shfl_sync(~0U, weight, lane - t + f);
      Component    jumps[n_point_tiles];
#pragma unroll
      for (int q = 0; q < n_point_tiles; ++q)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          {
            int point = 8 * q + 4 * i + t;
            if (point < n_points && !across.at_boundary())
              point = __ldg(arg.tables.face_permutations + across.orientation * n_points + point);
            jumps[q][i][0] = weight_here * (values[q][i][0] - traces[this->place_of_trace(point)]);
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

    const Arguments       &arg;
    const PenaltyOperands &operands;
    double *const          own;    ///< of this lane, `[j][i][d]`, if the input stays in memory
    double *const          traces; ///< the neighbours' values on a face

    Direction normal_of_lane; ///< of face t
    double    weight;         ///< its area over |det J|, then times the penalty
    double    input[input_in_memory ? 1 : n_tiles][2][dim];
    double    sums[n_tiles][2][dim];
  };

  template <int dim, int degree>
  __global__ void
    __launch_bounds__(32 * PenaltyWarp<dim, degree>::n_warps, PenaltyWarp<dim, degree>::min_blocks)
      penalty_tensor_kernel(const __grid_constant__ PenaltyArguments<dim, double> arg,
                            const __grid_constant__ PenaltyOperands               operands)
  {
    CudaRuntime::let_next_kernel_begin();
    using Warp = PenaltyWarp<dim, degree>;
    extern __shared__ double shared[];
    const int                warp = threadIdx.x / 32;
    const int first = arg.mesh.begin + 8 * (static_cast<int>(blockIdx.x) * Warp::n_warps + warp);
    if (first < arg.mesh.end)
      Warp(arg, operands, first, shared + warp * Warp::memory).run();
  }

  /// On devices that have such tensor cores.
  template <int dim, int degree>
  class PenaltyTensorLauncher
  {
    using Warp = PenaltyWarp<dim, degree>;

    static constexpr int shared_bytes = Warp::n_warps * Warp::memory * sizeof(double);

  public:
    explicit PenaltyTensorLauncher(const ElementTables<double> &host)
      : derivatives(Warp::make_derivatives(host))
      , faces(Warp::make_faces(host))
    {
      CudaRuntime::check(cudaFuncSetAttribute(penalty_tensor_kernel<dim, degree>,
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              shared_bytes),
                         "shared memory of the penalty operator");
    }

    /// Whether they are faster than one thread an element, as was measured.
    static constexpr bool
    is_faster()
    {
      return dim == 3 || degree > 1;
    }

    static bool
    fits(const ElementTables<double> &host)
    {
      return Warp::fits(host);
    }

    void
    operator()(const PenaltyArguments<dim, double> &arg) const
    {
      const PenaltyOperands operands = {reinterpret_cast<const double2 *>(derivatives.data()),
                                        reinterpret_cast<const double2 *>(faces.data())};
      launch_element_warps(
        penalty_tensor_kernel<dim, degree>, arg.mesh, Warp::n_warps, shared_bytes, arg, operands);
    }

  private:
    const DeviceNumbers derivatives, faces;
  };
} // namespace Saltus::CudaKernels

#endif
