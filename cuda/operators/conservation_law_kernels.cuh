// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_kernels_cuh
#define saltus_cuda_operators_conservation_law_kernels_cuh

// The CUDA back end of conservation laws. Include this in a .cu file of its own that holds nothing
// but SALTUS_INSTANTIATE_CUDA lines.
//
// One lane a component: n_components neighbouring lanes of a warp (a team) own an element and keep
// one component of its coefficients each. At the quadrature points they change places: of a batch
// of n_components points each lane takes one, with all components, so that every flux is computed
// once.
//
//   name        shape                       where      direction
//   u, r        [m]                         registers  own component's coefficients, residual
//   inside      [team][q][c]                shared     states at the batch's points, this side
//   outside     [team][q][c]                shared     states, the neighbour's side
//   fluxes      [team][q][r][c]             shared     weighted fluxes at the batch's points
// (r: reference direction in the volume, 1 entry on faces; other letters as in
// operators/launcher.h)

#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/barth_jespersen.h>
#include <saltus/operators/launcher.h>
#include <saltus/operators/wave_speed_sum.h>

#include <cub/block/block_reduce.cuh>
#include <cuda/base/check.cuh>

namespace Saltus::CudaKernels
{
  constexpr int warp_size       = 32;
  constexpr int warps_per_block = 4;
  constexpr int scalar_threads  = 128; ///< threads a block of the kernels with one thread an item

  template <typename Law, typename Number>
  struct Exchange
  {
    static constexpr int n_components = Law::n_components;
    static constexpr int n_teams      = (warp_size + n_components - 1) / n_components;

    Number inside[n_teams][n_components][n_components];
    Number outside[n_teams][n_components][n_components];
    Number fluxes[n_teams][n_components][Law::dimension][n_components];
  };

  /// What a lane knows of its element.
  template <typename Law, typename Number, int n_modes>
  struct Lane
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;

    int                element;
    bool               active; ///< else it works along on the last element and stores nothing
    int                team;
    int                component;
    Number             u[n_modes];
    Number             r[n_modes];
    Array<Number, dim> inverse_jacobian[dim]; ///< `[r][d]`
  };

  template <typename Number, int n_modes>
  __device__ __forceinline__ Number
  interpolate(const Number *__restrict__ row, const Number (&u)[n_modes])
  {
    Number sum = 0;
#pragma unroll
    for (int m = 0; m < n_modes; ++m)
      sum += __ldg(row + m) * u[m];
    return sum;
  }

  template <typename Law, typename Number, int n_modes>
  __device__ __forceinline__ void
  load_coefficients(const Number *__restrict__ u,
                    const int element,
                    const int component,
                    Number (&to)[n_modes])
  {
    const Number *start = u + coefficient_index(element, 0, n_modes, Law::n_components) + component;
#pragma unroll
    for (int m = 0; m < n_modes; ++m)
      to[m] = __ldg(start + m * block_size * Law::n_components);
  }

  template <typename Law, typename Number>
  __device__ __forceinline__ Array<Number, Law::n_fields>
  load_field(const Number *fields, const int element, const int point, const int n_points)
  {
    Array<Number, Law::n_fields> field;
    for (int i = 0; i < Law::n_fields; ++i)
      field[i] = fields[point_index(element, point, n_points, Law::n_fields) + i];
    return field;
  }

  /// Record the first inadmissible state.
  template <typename Law, typename Number>
  __device__ void
  record(const StageArguments<Law, Number>      &arg,
         const int                               element,
         const Array<Number, Law::n_components> &state)
  {
    if (atomicCAS(&arg.failure->found, 0, 1) != 0)
      return;
    arg.failure->element = element;
    arg.failure->time    = arg.time->time + arg.coefficients.time * arg.time->dt;
    for (int c = 0; c < Law::n_components; ++c)
      arg.failure->state[c] = state[c];
  }

  template <typename Law, typename Number, int n_modes>
  __device__ __forceinline__ void
  add_volume(const StageArguments<Law, Number> &arg,
             Exchange<Law, Number>             &exchange,
             Lane<Law, Number, n_modes>        &lane)
  {
    constexpr int dim = Law::dimension, n_components = Law::n_components;
    const auto   &tables = arg.tables;
    const int     team = lane.team, c = lane.component;

#pragma unroll 1
    for (int q0 = 0; q0 < tables.n_volume_points; q0 += n_components)
      {
#pragma unroll
        for (int j = 0; j < n_components; ++j)
          exchange.inside[team][j][c] =
            interpolate<Number, n_modes>(tables.volume_values + (q0 + j) * n_modes, lane.u);
        __syncwarp();

        Array<Number, n_components> state;
        for (int i = 0; i < n_components; ++i)
          state[i] = exchange.inside[team][c][i];
        if (lane.active && !arg.law.admissible(state))
          record(arg, lane.element, state);
        const auto field =
          load_field<Law>(arg.fields.volume, lane.element, q0 + c, tables.n_volume_points);
        const Number weight = tables.volume_weights[q0 + c];
        for (int d = 0; d < dim; ++d)
          {
            const auto flux = arg.law.flux(state, field, lane.inverse_jacobian[d]);
            for (int i = 0; i < n_components; ++i)
              exchange.fluxes[team][c][d][i] = weight * flux[i];
          }
        __syncwarp();

#pragma unroll
        for (int j = 0; j < n_components; ++j)
#pragma unroll
          for (int d = 0; d < dim; ++d)
            {
              const Number  flux = exchange.fluxes[team][j][d][c];
              const Number *row  = tables.volume_gradients + ((q0 + j) * dim + d) * n_modes;
#pragma unroll
              for (int m = 0; m < n_modes; ++m)
                lane.r[m] += __ldg(row + m) * flux;
            }
      }
  }

  template <typename Law, typename Number, int n_modes>
  __device__ __forceinline__ double
  inverse_determinant(const Lane<Law, Number, n_modes> &lane)
  {
    const auto &j = lane.inverse_jacobian;
    if constexpr (Law::dimension == 2)
      return j[0][0] * j[1][1] - j[0][1] * j[1][0];
    else
      return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
             j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
             j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  }

  template <typename Law, typename Number, int n_modes>
  __device__ __forceinline__ void
  add_face(const StageArguments<Law, Number> &arg,
           const int                          face,
           Exchange<Law, Number>             &exchange,
           Lane<Law, Number, n_modes>        &lane)
  {
    constexpr int dim = Law::dimension, n_components = Law::n_components;
    const auto   &tables = arg.tables;
    const int     team = lane.team, c = lane.component;

    // The neighbour; at the boundary the element itself stands in.
    const std::size_t i_face        = point_index(lane.element, face, tables.n_faces, 1);
    const int         across        = arg.mesh.neighbors[i_face];
    const int         boundary_face = -1 - across;
    const bool        at_boundary   = across < 0;
    const int         code          = at_boundary ? 0 : arg.mesh.neighbor_faces[i_face];
    Number            u_neighbor[n_modes];
    load_coefficients<Law, Number, n_modes>(arg.u,
                                            at_boundary ? lane.element : across,
                                            c,
                                            u_neighbor);
    const Number *neighbor_values =
      tables.face_values + code / tables.n_orientations * tables.n_face_points * n_modes;
    const unsigned char *neighbor_points =
      tables.face_permutations + code % tables.n_orientations * tables.n_face_points;

    Array<Number, dim> n;
    Number             area = 0;
    for (int d = 0; d < dim; ++d)
      {
        n[d] = 0;
        for (int k = 0; k < dim; ++k)
          n[d] += tables.face_normals[face * dim + k] * lane.inverse_jacobian[k][d];
        area += n[d] * n[d];
      }
    area                 = sqrt(area);
    const Number inverse = Number(1) / area;
    for (int d = 0; d < dim; ++d)
      n[d] *= inverse;

    Number outflow = 0;
#pragma unroll 1
    for (int q0 = 0; q0 < tables.n_face_points; q0 += n_components)
      {
        const Number *rows = tables.face_values + (face * tables.n_face_points + q0) * n_modes;
#pragma unroll
        for (int j = 0; j < n_components; ++j)
          {
            exchange.inside[team][j][c] = interpolate<Number, n_modes>(rows + j * n_modes, lane.u);
            exchange.outside[team][j][c] =
              interpolate<Number, n_modes>(neighbor_values + neighbor_points[q0 + j] * n_modes,
                                           u_neighbor);
          }
        __syncwarp();

        Array<Number, n_components> inside, outside;
        for (int i = 0; i < n_components; ++i)
          {
            inside[i]  = exchange.inside[team][c][i];
            outside[i] = exchange.outside[team][c][i];
          }
        if (lane.active && !arg.law.admissible(inside))
          record(arg, lane.element, inside);
        if (at_boundary)
          {
            const std::size_t point =
              static_cast<std::size_t>(boundary_face) * tables.n_face_points + q0 + c;
            Array<Number, n_components> data;
            Array<Number, dim>          normal;
            for (int i = 0; i < n_components; ++i)
              data[i] = arg.boundary.states[point * n_components + i];
            for (int d = 0; d < dim; ++d)
              normal[d] = arg.boundary.normals[point * dim + d];
            outside =
              arg.law.boundary_state(arg.boundary.kinds[boundary_face], inside, data, normal);
          }
        const auto   field = load_field<Law>(arg.fields.face,
                                           lane.element,
                                           face * tables.n_face_points + q0 + c,
                                           tables.n_faces * tables.n_face_points);
        const auto   flux  = arg.law.numerical_flux(inside, outside, field, n);
        const Number scale = area * tables.face_weights[q0 + c];
        for (int i = 0; i < n_components; ++i)
          exchange.fluxes[team][c][0][i] = scale * flux[i];
        __syncwarp();

#pragma unroll
        for (int j = 0; j < n_components; ++j)
          {
            const Number f = exchange.fluxes[team][j][0][c];
            outflow += f;
#pragma unroll
            for (int m = 0; m < n_modes; ++m)
              lane.r[m] -= __ldg(rows + j * n_modes + m) * f;
          }
      }

    if (at_boundary && lane.active && arg.coefficients.weight != 0)
      arg.boundary.outflow[boundary_face * n_components + c] +=
        arg.coefficients.weight * arg.time->dt / inverse_determinant(lane) * outflow;
  }

  template <typename Law, typename Number, int n_modes>
  __device__ __forceinline__ void
  update(const StageArguments<Law, Number> &arg, const Lane<Law, Number, n_modes> &lane)
  {
    const StageCoefficients &k = arg.coefficients;
    const Number             w = k.w * arg.time->dt;
    const Number             c = k.c * arg.time->dt;
    const Number             A = k.A, a = k.a, b = k.b, d = k.d;
    const std::size_t        i0 =
      coefficient_index(lane.element, 0, n_modes, Law::n_components) + lane.component;
#pragma unroll
    for (int m = 0; m < n_modes; ++m)
      {
        const std::size_t i = i0 + m * block_size * Law::n_components;
        Number            s = 0;
        if (k.w != 0 || k.d != 0)
          {
            s = w * lane.r[m];
            if (k.A != 0)
              s += A * arg.accumulator[i];
            arg.accumulator[i] = s;
          }
        Number out = a * lane.u[m] + c * lane.r[m] + d * s;
        if (k.b != 0)
          out += b * arg.base[i];
        arg.out[i] = out;
      }
  }

  template <typename Law, typename Number, int n_modes>
  __global__ void
  __launch_bounds__(warps_per_block *warp_size)
    stage_kernel(const __grid_constant__ StageArguments<Law, Number> arg)
  {
    constexpr int dim = Law::dimension, n_components = Law::n_components;
    constexpr int elements_per_warp = warp_size / n_components;
    __shared__ Exchange<Law, Number> exchanges[warps_per_block];

    const int                  warp = threadIdx.x / warp_size, in_warp = threadIdx.x % warp_size;
    Lane<Law, Number, n_modes> lane;
    lane.team         = in_warp / n_components;
    lane.component    = in_warp % n_components;
    const int element = (blockIdx.x * warps_per_block + warp) * elements_per_warp + lane.team;
    lane.active       = lane.team < elements_per_warp && element < arg.mesh.n_elements;
    lane.element      = lane.active ? element : arg.mesh.n_elements - 1;
    load_coefficients<Law, Number, n_modes>(arg.u, lane.element, lane.component, lane.u);
#pragma unroll
    for (int i = 0; i < dim * dim; ++i)
      lane.inverse_jacobian[i / dim][i % dim] =
        __ldg(arg.mesh.inverse_jacobians + point_index(lane.element, i, dim * dim, 1));
#pragma unroll
    for (int m = 0; m < n_modes; ++m)
      lane.r[m] = 0;

    add_volume(arg, exchanges[warp], lane);
#pragma unroll 1
    for (int face = 0; face < arg.tables.n_faces; ++face)
      add_face(arg, face, exchanges[warp], lane);
    if (lane.active)
      update(arg, lane);
  }

  struct LargerBits
  {
    __device__ long long
    operator()(const long long a, const long long b) const
    {
      return a > b ? a : b;
    }
  };

  /// Largest wave speed sum, as the bits of a double: for non-negative numbers these are ordered
  /// like the numbers, and a NaN is larger than all.
  template <typename Law, typename Number>
  __global__ void
  rate_kernel(const StepSizeArguments<Law, Number> arg, long long *largest)
  {
    using Reduce = cub::BlockReduce<long long, scalar_threads>;
    __shared__ typename Reduce::TempStorage storage;
    const int                               element = blockIdx.x * scalar_threads + threadIdx.x;
    const long long                         bits    = element < arg.mesh.n_elements
                                                        ? __double_as_longlong(wave_speed_sum(arg, element)) & ~(1ll << 63)
                                                        : 0;
    const long long largest_here                    = Reduce(storage).Reduce(bits, LargerBits());
    if (threadIdx.x == 0)
      atomicMax(largest, largest_here);
  }

  template <typename Law, typename Number>
  __global__ void
  step_kernel(const StepSizeArguments<Law, Number> arg, const long long *largest)
  {
    const double rate = __longlong_as_double(*largest);
    set_step(
      *arg.time,
      step_from_rate(*arg.time, rate, arg.degree, Law::dimension, arg.tables.reference_volume));
  }

  static __global__ void
  advance_kernel(TimeState *time)
  {
    advance(*time);
  }

  template <typename Law, typename Number>
  __global__ void
  limit_kernel(const __grid_constant__ LimiterArguments<Law, Number> arg)
  {
    const int element = blockIdx.x * scalar_threads + threadIdx.x;
    if (element < arg.mesh.n_elements)
      ElementLimiter<Law, Number>(arg, element).run();
  }

  template <int n_components, typename Number>
  __global__ void
  project_kernel(const ElementTables<Number> t,
                 const int                   n_elements,
                 const Number               *values,
                 Number                     *u)
  {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int e = i / n_components, c = i % n_components;
    if (e >= n_elements)
      return;
    for (int m = 0; m < t.n_modes; ++m)
      {
        Number sum = 0;
        for (int q = 0; q < t.n_volume_points; ++q)
          sum += t.volume_weights[q] * t.volume_values[q * t.n_modes + m] *
                 values[point_index(e, q, t.n_volume_points, n_components) + c];
        u[coefficient_index(e, m, t.n_modes, n_components) + c] = sum;
      }
  }

  template <typename Law, typename Number>
  __global__ void
  conserved_kernel(const Law law, const int n_points, Number *states)
  {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_points)
      return;
    Array<Number, Law::n_components> state;
    for (int c = 0; c < Law::n_components; ++c)
      state[c] = states[static_cast<std::size_t>(i) * Law::n_components + c];
    const auto conserved = law.conserved(state);
    for (int c = 0; c < Law::n_components; ++c)
      states[static_cast<std::size_t>(i) * Law::n_components + c] = conserved[c];
  }

  inline int
  blocks_for(const std::size_t n)
  {
    return (n + scalar_threads - 1) / scalar_threads;
  }

  template <typename Law, typename Number, int n_modes>
  class Kernels : public ConservationLawKernels<Law, Number>
  {
    static constexpr int n_components = Law::n_components;

  public:
    Kernels()
      : largest_rate(static_cast<long long *>(CudaRuntime::allocate(sizeof(long long))))
    {}

    ~Kernels() override
    {
      CudaRuntime::release(largest_rate);
    }

    void
    stage(const StageArguments<Law, Number> &arg) const override
    {
      constexpr int per_block = warps_per_block * (warp_size / n_components);
      const int     n         = (arg.mesh.n_elements + per_block - 1) / per_block;
      stage_kernel<Law, Number, n_modes>
        <<<n, warps_per_block * warp_size, 0, CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("stage");
    }

    void
    step_size(const StepSizeArguments<Law, Number> &arg) const override
    {
      CudaRuntime::fill_zero(largest_rate, sizeof(long long));
      rate_kernel<<<blocks_for(arg.mesh.n_elements), scalar_threads, 0, CudaRuntime::stream()>>>(
        arg, largest_rate);
      step_kernel<<<1, 1, 0, CudaRuntime::stream()>>>(arg, largest_rate);
      CudaRuntime::check_launch("step size");
    }

    void
    finish_step(TimeState *time) const override
    {
      advance_kernel<<<1, 1, 0, CudaRuntime::stream()>>>(time);
      CudaRuntime::check_launch("finishing a step");
    }

    void
    limit(const LimiterArguments<Law, Number> &arg) const override
    {
      limit_kernel<<<blocks_for(arg.mesh.n_elements), scalar_threads, 0, CudaRuntime::stream()>>>(
        arg);
      CudaRuntime::check_launch("limiter");
    }

    void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const override
    {
      project_kernel<n_components>
        <<<blocks_for(n_elements * n_components), scalar_threads, 0, CudaRuntime::stream()>>>(
          tables, n_elements, values, u);
      CudaRuntime::check_launch("projection");
    }

    void
    primitive_to_conserved(const Law &law, const int n_points, Number *states) const override
    {
      conserved_kernel<<<blocks_for(n_points), scalar_threads, 0, CudaRuntime::stream()>>>(law,
                                                                                           n_points,
                                                                                           states);
      CudaRuntime::check_launch("primitive to conserved variables");
    }

  private:
    long long *largest_rate;
  };

  constexpr int
  n_simplex_modes(const int dim, const int degree)
  {
    int n = 1;
    for (int d = 1; d <= dim; ++d)
      n = n * (degree + d) / d;
    return n;
  }

  /// Degrees compiled: 0 to 5 on triangles, 0 to 4 on tetrahedra.
  constexpr int
  max_degree(const int dim)
  {
    return dim == 2 ? 5 : 4;
  }

  template <typename Law, typename Number, int degree = 0>
  ConservationLawKernels<Law, Number> *
  make_kernels(const int n_faces, const int wanted)
  {
    constexpr int dim = Law::dimension;
    if (n_faces != dim + 1)
      return nullptr;
    if (wanted == degree)
      return new Kernels<Law, Number, n_simplex_modes(dim, degree)>;
    if constexpr (degree < max_degree(dim))
      return make_kernels<Law, Number, degree + 1>(n_faces, wanted);
    else
      return nullptr;
  }
} // namespace Saltus::CudaKernels

/// Compile the CUDA kernels of a law in one precision.
#define SALTUS_INSTANTIATE_CUDA(Number, ...)                                                       \
  namespace                                                                                        \
  {                                                                                                \
    [[maybe_unused]] const bool registered_##Number = [] {                                         \
      using namespace Saltus;                                                                      \
      KernelRegistry<__VA_ARGS__, Number>::cuda = &CudaKernels::make_kernels<__VA_ARGS__, Number>; \
      return true;                                                                                 \
    }();                                                                                           \
  }

#endif
