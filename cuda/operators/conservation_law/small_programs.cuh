// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_small_programs_cuh
#define saltus_cuda_operators_conservation_law_small_programs_cuh

// The programs of a conservation law besides the stage. They cost little beside it.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/conservation_law/kernels/barth_jespersen.h>
#include <saltus/operators/conservation_law/kernels/largest_rate.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/kernels/positive_element.h>
#include <saltus/operators/conservation_law/kernels/wave_speed_sum.h>
#include <saltus/operators/spaces/step_size.h>

#include <cuda/operators/conservation_law/stage_tables.cuh>

namespace Saltus::CudaKernels
{
  /// One thread an item.
  constexpr LaunchShape scalar_shape{128, 128};

  static __device__ __forceinline__ std::size_t
                                    scalar_item()
  {
    return static_cast<std::size_t>(blockIdx.x) * scalar_shape.n_threads + threadIdx.x;
  }

  /// The largest wave speed sum. The block that is done last makes the step of it.
  /// @tparam at_points whether the states at points may matter, see StepSizeArguments
  template <typename Law, typename Number, bool at_points>
  struct StepSizeProgram
  {
    static constexpr LaunchShape shape = scalar_shape;

    static __device__ __forceinline__ void
    run(StepSizeArguments<Law, Number> arg, LargestRate *const largest)
    {
      if (!at_points)
        arg.at_points = nullptr;
      constexpr int        n_warps = scalar_shape.n_threads / 32;
      __shared__ long long of_warps[n_warps];
      const int            element = scalar_item();
      long long            bits =
        element < arg.mesh.n_elements ? ordered_bits(step_rate(arg, element)) : ordered_bits(0.);
      for (int distance = 16; distance > 0; distance /= 2)
        bits = ::max(bits, __shfl_down_sync(~0U, bits, distance));
      if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = bits;
      __syncthreads();
      if (threadIdx.x != 0)
        return;
      for (int warp = 1; warp < n_warps; ++warp)
        bits = ::max(bits, of_warps[warp]);
      atomicMax(&largest->bits, bits);
      __threadfence();
      if (atomicInc(&largest->n_blocks_done, gridDim.x - 1) < gridDim.x - 1)
        return;
      const auto of_all = static_cast<long long>(
        atomicExch(reinterpret_cast<unsigned long long *>(&largest->bits), 0ull));
      set_step(*arg.time,
               step_from_rate(*arg.time,
                              from_ordered_bits(of_all),
                              arg.degree,
                              Law::dimension,
                              arg.tables.reference_volume));
    }
  };

  template <typename Law, typename Number>
  struct ViscosityProgram
  {
    static constexpr LaunchShape shape = scalar_shape;

    static __device__ __forceinline__ void
    run(const ViscosityArguments<Law, Number> &arg)
    {
      const int element = scalar_item();
      if (element < arg.mesh.n_elements)
        set_viscosity(arg, element);
    }
  };

  template <typename Law>
  struct AdvanceProgram
  {
    static constexpr LaunchShape shape{1, 1};

    static __device__ __forceinline__ void
    run(TimeState *const time)
    {
      advance(*time);
    }
  };

  /// Neighboring numbers, in accesses as wide as their alignment allows.
  template <typename Number, int n>
  struct alignas(n * sizeof(Number) % 16 == 0 ? 16 : sizeof(Number)) Numbers : Array<Number, n>
  {};

  /// See ElementLimiter.
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <typename Law, typename Number, int nv, int nf>
  struct LimitProgram
  {
    static constexpr LaunchShape shape{.n_threads = scalar_shape.n_threads,
                                       .per_block = scalar_shape.per_block,
                                       // With fewer blocks this kernel takes an eighth longer.
                                       .min_blocks = Law::dimension == 2 ? 5 : 1};
    static constexpr int         memory_bytes = 0;
    static constexpr int         dim = Law::dimension, n = Law::n_components;

    using Fixed  = FixedTables<Number, dim, 1>;
    using Tables = std::conditional_t<Fixed::available && Fixed::nv == nv && Fixed::nf == nf,
                                      Fixed,
                                      AnyTables<Number, dim, 1>>;

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      tables.make(from);
    }

    static __device__ __forceinline__ void
    run(const LimiterArguments<Law, Number> &arg, const Tables &tables)
    {
      using State = Numbers<Number, n>;
      // From the last one on: the cache still has much of the last results of the stage.
      const int element = (gridDim.x - 1 - blockIdx.x) * scalar_shape.n_threads + threadIdx.x;
      if (element >= arg.mesh.n_elements)
        return;
      const auto mode = [&](const int e, const int m) -> State & {
        return reinterpret_cast<State &>(
          arg.u[CoefficientLayout{Simplex<dim>::n_modes(1), n}.index(e, m)]);
      };
      const auto mean = [&](const int e) {
        Array<Number, n> state = mode(e, 0);
        for (int c = 0; c < n; ++c)
          state[c] *= tables.volume_value(0, 0);
        return state;
      };
      ElementLimiter<Law, Number, Number> limiter;
      limiter.mean = mean(element);
      for (int f = 0; f < limiter.n_faces; ++f)
        {
          const FaceRecord across =
            read_face(arg.mesh.faces + point_index(element, f, limiter.n_faces, 1));
          limiter.neighbor_means[f] = across.at_boundary() ? limiter.mean : mean(across.neighbor);
          for (int d = 0; d < dim; ++d)
            limiter.to_neighbors[f][d] =
              arg.to_neighbors[point_index(element, f * dim + d, limiter.n_faces * dim, 1)];
        }
      for (int d = 0; d < dim; ++d)
        limiter.slopes[d] = mode(element, 1 + d);
      limiter.run(arg.law,
                  tables.face_rows(),
                  limiter.n_faces * tables.n_face_points(),
                  tables.vertex_rows());
      if (limiter.factor < 1)
        for (int d = 0; d < dim; ++d)
          mode(element, 1 + d) = State{limiter.slopes[d]};
    }
  };

  /// See PositiveElement.
  template <typename Law, typename Number, ElementShape shape_, GeometryKind kind, int degree>
  struct PositiveProgram
  {
    static constexpr LaunchShape shape = scalar_shape;

    using Tables = TablesOfDegree<Law::dimension, Number, shape_, degree>;

    static __device__ __forceinline__ void
    run(const LimiterArguments<Law, Number> &arg)
    {
      const int element = arg.mesh.begin + scalar_item();
      if (element >= arg.mesh.end)
        return;
      const Tables tables(arg.tables);
      PositiveElement<kind, Law, Number, Number, 1, Tables>(arg, tables, element).run();
    }
  };

  /// The L2 projection of values at the points of the volume.
  template <int n_components, typename Number>
  struct ProjectProgram
  {
    static constexpr LaunchShape shape = scalar_shape;

    static __device__ __forceinline__ void
    run(const ElementTables<Number> &t,
        const int                    n_elements,
        const Number *const          values,
        Number *const                u)
    {
      const std::size_t i = scalar_item();
      const int         e = i / n_components, c = i % n_components;
      if (e >= n_elements)
        return;
      for (int m = 0; m < t.n_modes; ++m)
        {
          Number sum = 0;
          for (int q = 0; q < t.n_volume_points; ++q)
            sum += t.volume_weights[q] * t.volume_values[q * t.n_modes + m] *
                   values[point_index(e, q, t.n_volume_points, n_components) + c];
          u[CoefficientLayout{t.n_modes, n_components}.index(e, m, c)] = sum;
        }
    }
  };

  /// Conserved variables of primitive ones, in place.
  template <typename Law, typename Number>
  struct ConservedProgram
  {
    static constexpr LaunchShape shape = scalar_shape;

    static __device__ __forceinline__ void
    run(const Law &law, const std::size_t n_points, Number *const states)
    {
      const std::size_t i = scalar_item();
      if (i >= n_points)
        return;
      Array<Number, Law::n_components> state;
      for (int c = 0; c < Law::n_components; ++c)
        state[c] = states[i * Law::n_components + c];
      const auto conserved = law.conserved(state);
      for (int c = 0; c < Law::n_components; ++c)
        states[i * Law::n_components + c] = conserved[c];
    }
  };
} // namespace Saltus::CudaKernels

#endif
