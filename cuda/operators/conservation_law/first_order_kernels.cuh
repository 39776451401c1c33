// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_first_order_kernels_cuh
#define saltus_cuda_operators_conservation_law_first_order_kernels_cuh

// The CUDA back end of conservation laws without their second-order fluxes, for .cu files that hold
// nothing but SALTUS_INSTANTIATE_CUDA_FIRST_ORDER lines, see conservation_law_kernels.cuh.

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/ranks/gpu_group.h>
#include <saltus/operators/conservation_law/kernels/barth_jespersen.h>
#include <saltus/operators/conservation_law/kernels/hanging_fluxes.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/kernels/positive_element.h>
#include <saltus/operators/conservation_law/kernels/wave_speed_sum.h>
#include <saltus/operators/spaces/hypercube_tables.h>
#include <saltus/operators/spaces/step_size.h>

#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <cuda/base/device/check.cuh>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/conservation_law/column_stage.cuh>
#include <cuda/operators/conservation_law/hanging_flux_group.cuh>
#include <cuda/operators/conservation_law/registration.cuh>
#include <cuda/operators/conservation_law/team_stage.cuh>
#include <cuda/operators/conservation_law/tetrahedron_stage.cuh>
#include <cuda/operators/conservation_law/thread_stage.cuh>
#include <cuda/operators/conservation_law/triangle_stage.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>
#include <type_traits>

namespace Saltus::CudaKernels
{
  constexpr int scalar_threads = 128; ///< threads a block of the kernels with one thread an item

  struct LargerBits
  {
    __device__ long long
    operator()(const long long a, const long long b) const
    {
      return a > b ? a : b;
    }
  };

  /// The largest of numbers that blocks find.
  struct LargestRate
  {
    long long    bits;          ///< ordered_bits(), 0 between two kernels
    unsigned int n_blocks_done; ///< likewise
  };

  /// The largest wave speed sum; the block that is done last makes the step of it.
  template <typename Law, typename Number>
  __global__ void
  step_size_kernel(const StepSizeArguments<Law, Number> arg, LargestRate *largest)
  {
    using Reduce = cub::BlockReduce<long long, scalar_threads>;
    __shared__ typename Reduce::TempStorage storage;
    const int                               element = blockIdx.x * scalar_threads + threadIdx.x;
    const long long                         bits =
      element < arg.mesh.n_elements ? ordered_bits(step_rate(arg, element)) : ordered_bits(0.);
    const long long largest_here = Reduce(storage).Reduce(bits, LargerBits());
    if (threadIdx.x != 0)
      return;
    atomicMax(&largest->bits, largest_here);
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

  template <typename Law, typename Number>
  __global__ void
  viscosity_kernel(const __grid_constant__ ViscosityArguments<Law, Number> arg)
  {
    const int element = blockIdx.x * scalar_threads + threadIdx.x;
    if (element < arg.mesh.n_elements)
      set_viscosity(arg, element);
  }

  static __global__ void
  advance_kernel(TimeState *time)
  {
    advance(*time);
  }

  /// Neighbouring numbers, in accesses as wide as their alignment allows.
  template <typename Number, int n>
  struct alignas(n * sizeof(Number) % 16 == 0 ? 16 : sizeof(Number)) Numbers : Array<Number, n>
  {};

  template <typename Law, typename Number, typename Tables>
  __global__ void
  __launch_bounds__(scalar_threads)
    limit_kernel(const __grid_constant__ LimiterArguments<Law, Number> arg,
                 const __grid_constant__ Tables                        tables)
  {
    constexpr int dim = Law::dimension, n = Law::n_components;
    using State = Numbers<Number, n>;
    // From the last one on: much of what the stage has written last is still in the cache.
    const int element = (gridDim.x - 1 - blockIdx.x) * scalar_threads + threadIdx.x;
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

  template <int n_components, typename Number>
  __global__ void
  project_kernel(const ElementTables<Number> t,
                 const int                   n_elements,
                 const Number               *values,
                 Number                     *u)
  {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
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

  template <typename Law, typename Number>
  __global__ void
  conserved_kernel(const Law law, const std::size_t n_points, Number *states)
  {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n_points)
      return;
    Array<Number, Law::n_components> state;
    for (int c = 0; c < Law::n_components; ++c)
      state[c] = states[i * Law::n_components + c];
    const auto conserved = law.conserved(state);
    for (int c = 0; c < Law::n_components; ++c)
      states[i * Law::n_components + c] = conserved[c];
  }

  inline int
  blocks_for(const std::size_t n)
  {
    return (n + scalar_threads - 1) / scalar_threads;
  }

  /// Call @p body with the number of the numerical flux that @p law chooses, as a constant.
  template <typename Law, typename Body>
  void
  with_numerical_flux(const Law &law, const Body &body)
  {
    for_each_numerical_flux<Law>([&](const auto number) {
      if (NumericalFluxes<Law>::chosen(law) == number)
        body(number);
    });
  }

  template <typename Number>
  int
  n_elements_to_do(const MeshArrays<Number> &mesh)
  {
    return mesh.end - mesh.begin;
  }

  /// Launch a fast form of the stage, early if the kernel before is boundary_kernel() or
  /// hanging_flux_kernel(): only threads with a face that these are for wait for it.
  template <typename Arguments, typename... Tables>
  void
  launch_stage(void (*kernel)(Arguments, Tables...),
               const int        n_blocks,
               const int        n_threads,
               const int        shared_bytes,
               const Arguments &arg,
               const Tables &...tables)
  {
    if (arg.launch.may_begin_early() &&
        arg.hanging.n_parts + arg.boundary.n_faces + arg.given.n > 0)
      CudaRuntime::launch_early(kernel, n_blocks, n_threads, shared_bytes, arg, tables...);
    else
      kernel<<<n_blocks, n_threads, shared_bytes, CudaRuntime::stream()>>>(arg, tables...);
  }

  /// The stage with one thread an element, see ThreadStage.
  template <typename Law, typename Number, int degree>
  class ThreadLauncher
  {
    template <int number>
    using Stage = ThreadStage<Law, Number, degree, number>;

  public:
    static constexpr bool available = Stage<0>::available;

    static bool
    fits(const ElementTables<Number> &host)
    {
      return host.n_volume_points == Stage<0>::nv && host.n_face_points == Stage<0>::nf;
    }

    static bool
    takes(const StageArguments<Law, Number> & /*arg*/)
    {
      return true;
    }

    ThreadLauncher(const ElementTables<Number> &host)
      : tables(host)
    {}

    void
    operator()(const StageArguments<Law, Number> &arg) const
    {
      constexpr int n_threads = Stage<0>::n_threads;
      const int     n_blocks  = (n_elements_to_do(arg.mesh) + n_threads - 1) / n_threads;
      with_numerical_flux(arg.law, [&](const auto number) {
        launch_stage(thread_stage_kernel<Stage<number>>, n_blocks, n_threads, 0, arg, tables);
      });
    }

  private:
    const typename Stage<0>::Tables tables;
  };

  /// The stage with tensor cores, see TriangleStage and TetrahedronStage.
  template <typename Law, typename Number, int degree, GeometryKind kind, bool of_tangents = false>
  class TensorLauncher
  {
    template <int number>
    using Stage =
      std::conditional_t<Law::dimension == 2,
                         TriangleStage<Law, Number, degree, number, kind>,
                         TetrahedronStage<Law, Number, degree, number, kind, of_tangents>>;
    using Tables = typename Stage<0>::Tables;

  public:
    static constexpr bool available = Stage<0>::available;

    static bool
    fits(const ElementTables<Number> &host)
    {
      return host.n_volume_points == Tables::nv && host.n_face_points == Tables::nf &&
             lack() == nullptr;
    }

    static const char *
    lack()
    {
      return CudaRuntime::lack_for_kernels(shared_bytes, true);
    }

    static bool
    takes(const StageArguments<Law, Number> &arg)
    {
      return Stage<0>::takes(arg);
    }

    TensorLauncher(const ElementTables<Number> &host)
      : tables(Tables::make(host))
      , normals(host.face_normals)
    {
      const int n_multiprocessors = CudaRuntime::n_multiprocessors(CudaRuntime::current_device());
      for_each_numerical_flux<Law>([&](const auto number) {
        const auto kernel             = tensor_stage_kernel<Stage<number>>;
        int        per_multiprocessor = 0;
        CudaRuntime::allow_shared_memory(kernel, shared_bytes);
        CudaRuntime::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &per_multiprocessor, kernel, n_threads, shared_bytes),
                           "blocks of the stage");
        n_blocks[number] = per_multiprocessor * n_multiprocessors;
        n_blocks_beside_messages[number] =
          per_multiprocessor * (n_multiprocessors - GpuGroup::n_multiprocessors);
      });
    }

    void
    operator()(const StageArguments<Law, Number> &arg) const
    {
      constexpr int per_block = 8 * Stage<0>::n_warps;
      const int     wanted    = (n_elements_to_do(arg.mesh) + per_block - 1) / per_block;
      // The blocks stay until all is done: messages would have to wait for them.
      const bool beside_messages = arg.launch.beside_messages;
      with_numerical_flux(arg.law, [&](const auto number) {
        launch_stage(tensor_stage_kernel<Stage<number>>,
                     std::min(wanted,
                              (beside_messages ? n_blocks_beside_messages : n_blocks)[number]),
                     n_threads,
                     shared_bytes,
                     arg,
                     normals,
                     tables.data());
      });
    }

  private:
    static constexpr int n_threads    = 32 * Stage<0>::n_warps;
    static constexpr int shared_bytes = Stage<0>::shared_bytes;

    const DeviceNumbers              tables;
    const typename Stage<0>::Normals normals;
    /// That the device holds at a time, by flux: alone, and where messages are on their way.
    int n_blocks[NumericalFluxes<Law>::n], n_blocks_beside_messages[NumericalFluxes<Law>::n];
  };

  /// The stage in two forms, of which a mesh has what one of them reads.
  template <typename First, typename Second>
  class EitherLauncher
  {
  public:
    static constexpr bool available = First::available && Second::available;

    template <typename Number>
    static bool
    fits(const ElementTables<Number> &host)
    {
      return First::fits(host) && Second::fits(host);
    }

    static const char *
    lack()
    {
      const char *const of_first = First::lack();
      return of_first != nullptr ? of_first : Second::lack();
    }

    template <typename Arguments>
    static bool
    takes(const Arguments &arg)
    {
      return First::takes(arg) || Second::takes(arg);
    }

    template <typename Number>
    EitherLauncher(const ElementTables<Number> &host)
      : first(host)
      , second(host)
    {}

    template <typename Arguments>
    void
    operator()(const Arguments &arg) const
    {
      if (First::takes(arg))
        first(arg);
      else
        second(arg);
    }

  private:
    const First  first;
    const Second second;
  };

  struct NoLauncher
  {
    static constexpr bool available = false;
  };

  /// What is done on all elements together, and costs little beside the stage.
  template <typename Law, typename Number, int n_modes>
  class SmallKernels : public ConservationLawKernels<Law, Number>
  {
    static constexpr int n_components = Law::n_components;

  public:
    SmallKernels()
      : largest_rate(static_cast<LargestRate *>(CudaRuntime::allocate(sizeof(LargestRate))))
    {
      CudaRuntime::fill_zero(largest_rate, sizeof(LargestRate));
    }

    ~SmallKernels() override
    {
      CudaRuntime::release(largest_rate);
    }

    void
    begin_stage(const StageArguments<Law, Number> &arg) const override
    {
      const int n_faces = arg.boundary.n_faces + arg.given.n;
      const int n       = n_faces * arg.tables.n_face_points;
      if (n == 0)
        return;
      const auto kernel = boundary_kernel<n_modes, Law, Number>;
      // On triangles of high degree, stages take longer if it begins early.
      if (Law::dimension == 3 && arg.tables.n_faces == Simplex<3>::n_faces)
        CudaRuntime::launch_early(kernel, blocks_for(n), scalar_threads, 0, arg, n_faces);
      else
        kernel<<<blocks_for(n), scalar_threads, 0, CudaRuntime::stream()>>>(arg, n_faces);
    }

    void
    end_stage(const StageArguments<Law, Number> &arg) const override
    {
      if (const int n = arg.boundary.n_faces * n_components; n > 0 && arg.coefficients.weight != 0)
        {
          const auto kernel = outflow_kernel<Law, Number>;
          // Then the kernel before is the stage.
          if (arg.launch.may_begin_early())
            CudaRuntime::launch_early(kernel, blocks_for(n), scalar_threads, 0, arg);
          else
            kernel<<<blocks_for(n), scalar_threads, 0, CudaRuntime::stream()>>>(arg);
        }
      CudaRuntime::check_launch("stage");
    }

    void
    step_size(const StepSizeArguments<Law, Number> &arg) const override
    {
      step_size_kernel<<<std::max(1, blocks_for(arg.mesh.n_elements)),
                         scalar_threads,
                         0,
                         CudaRuntime::stream()>>>(arg, largest_rate);
      CudaRuntime::check_launch("step size");
    }

    void
    set_viscosities(const ViscosityArguments<Law, Number> &arg) const override
    {
      if (arg.mesh.n_elements == 0)
        return;
      viscosity_kernel<<<blocks_for(arg.mesh.n_elements),
                         scalar_threads,
                         0,
                         CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("artificial viscosity");
    }

    void
    finish_step(TimeState *time) const override
    {
      advance_kernel<<<1, 1, 0, CudaRuntime::stream()>>>(time);
      CudaRuntime::check_launch("finishing a step");
    }

    void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const override
    {
      if (n_elements == 0)
        return;
      project_kernel<n_components>
        <<<blocks_for(static_cast<std::size_t>(n_elements) * n_components),
           scalar_threads,
           0,
           CudaRuntime::stream()>>>(tables, n_elements, values, u);
      CudaRuntime::check_launch("projection");
    }

    void
    primitive_to_conserved(const Law        &law,
                           const std::size_t n_points,
                           Number           *states) const override
    {
      if (n_points == 0)
        return;
      conserved_kernel<<<blocks_for(n_points), scalar_threads, 0, CudaRuntime::stream()>>>(law,
                                                                                           n_points,
                                                                                           states);
      CudaRuntime::check_launch("primitive to conserved variables");
    }

  private:
    LargestRate *largest_rate;
  };

  /// Kernels of elements of one degree that are worked on by one thread each.
  /// @tparam Tables see QuadratureTables
  template <typename Law, typename Number, GeometryKind kind, typename Tables>
  class QuadratureKernels : public SmallKernels<Law, Number, Tables::max_modes>
  {
  public:
    void
    limit_to_positive(const LimiterArguments<Law, Number> &arg) const override
    {
      if constexpr (Law::n_positive > 0)
        if (n_elements_to_do(arg.mesh) > 0)
          {
            run_element_threads<PositiveElement<kind, Law, Number, Number, 1, Tables>, Tables>(arg);
            CudaRuntime::check_launch("limiter for positive quantities");
          }
    }
  };

  /// Of simplices.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CudaConservationLaw
    : public QuadratureKernels<Law, Number, kind, DegreeTables<Law::dimension, Number, degree>>
  {
    static constexpr int n_components = Law::n_components;

    using Fixed  = FixedTables<Number, Law::dimension, degree>;
    using Any    = AnyTables<Number, Law::dimension, degree>;
    using Thread = ThreadLauncher<Law, Number, degree>;

    template <bool of_tangents>
    using TensorForm = TensorLauncher<Law, Number, degree, kind, of_tangents>;
    using Tensor     = std::conditional_t<Law::dimension == 3 && kind == GeometryKind::stored &&
                                        TetrahedronGroup::may_be_of_tangents(degree),
                                      EitherLauncher<TensorForm<true>, TensorForm<false>>,
                                      TensorForm<false>>;

    /// The fastest form of the stage that there is of it.
    using Fast = std::conditional_t<
      Tensor::available,
      Tensor,
      std::conditional_t<kind == GeometryKind::affine && Thread::available, Thread, NoLauncher>>;

  public:
    explicit CudaConservationLaw(const ElementTables<Number> &host_tables)
    {
      if (kind == GeometryKind::affine && Fixed::fit(host_tables))
        fixed_tables = std::make_unique<Fixed>(host_tables);
      if constexpr (Fast::available)
        if (Fast::fits(host_tables))
          fast_stage = std::make_unique<Fast>(host_tables);
    }

    bool
    takes_given_faces() const override
    {
      return fast_stage != nullptr;
    }

    const char *
    fallback() const override
    {
      if (kind == GeometryKind::stored && !Fast::available)
        return reads_stored_geometry;
      if (Fast::available ? fast_stage != nullptr : fixed_tables != nullptr || !Fixed::available)
        return nullptr;
      if constexpr (Tensor::available)
        if (const char *const lack = Tensor::lack())
          return lack;
      return "they are unrolled for the default quadrature only";
    }

    void
    stage(const StageArguments<Law, Number> &arg) const override
    {
      if constexpr (Fast::available)
        {
          if (fast_stage && Fast::takes(arg))
            {
              auto with_given       = arg;
              with_given.mesh.faces = arg.given.faces;
              (*fast_stage)(with_given);
            }
          else
            general_stage(arg, Any(arg.tables));
        }
      else if constexpr (kind == GeometryKind::stored)
        general_stage(arg, Any(arg.tables));
      else
        with_tables(arg.tables, [&](const auto &tables) { general_stage(arg, tables); });
      CudaRuntime::check_launch("stage");
    }

    void
    limit(const LimiterArguments<Law, Number> &arg) const override
    {
      if (arg.mesh.n_elements == 0)
        return;
      if constexpr (degree == 1) // the operator asks for no other
        with_tables(arg.tables, [&](const auto &tables) {
          limit_kernel<<<blocks_for(arg.mesh.n_elements),
                         scalar_threads,
                         0,
                         CudaRuntime::stream()>>>(arg, tables);
        });
      CudaRuntime::check_launch("limiter");
    }

  private:
    template <typename Tables>
    static void
    general_stage(const StageArguments<Law, Number> &arg, const Tables &tables)
    {
      constexpr int per_block = warps_per_block * Team<Number, n_components>::per_warp;
      stage_kernel<kind><<<(n_elements_to_do(arg.mesh) + per_block - 1) / per_block,
                           warps_per_block * warp_size,
                           0,
                           CudaRuntime::stream()>>>(arg, tables);
    }

    /// Call @p launch with the tables that fit.
    template <typename Launch>
    void
    with_tables(const ElementTables<Number> &device_tables, const Launch &launch) const
    {
      if constexpr (Fixed::available)
        if (fixed_tables)
          {
            launch(*fixed_tables);
            return;
          }
      launch(Any(device_tables));
    }

    std::unique_ptr<Fixed> fixed_tables; ///< none where only Any fits
    std::unique_ptr<Fast>  fast_stage;   ///< none for another quadrature
  };

  /// Of quadrilaterals and hexahedra, see ColumnStage.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CudaTensorLaw
    : public QuadratureKernels<Law, Number, kind, HypercubeTables<Law::dimension, Number, degree>>
  {
    template <int number>
    using Stage = ColumnStage<Law, Number, degree, number, kind>;
    template <int number>
    using HangingGroup = HangingFluxGroup<Law, Number, degree, number>;
    using Lines        = typename Stage<0>::Lines;

  public:
    explicit CudaTensorLaw(const ElementTables<Number> &host_tables)
      : lines(Lines::template make<Law::dimension>(host_tables))
      , n_threads(threads_of_columns<Stage<0>>())
    {
      for_each_numerical_flux<Law>([&](const auto number) {
        CudaRuntime::allow_shared_memory(column_stage_kernel<Stage<number>>,
                                         Stage<number>::shared_bytes(n_threads));
      });
    }

    const char *
    fallback() const override
    {
      return CudaRuntime::lack_for_kernels(Stage<0>::shared_bytes(Stage<0>::max_threads));
    }

    void
    stage(const StageArguments<Law, Number> &arg) const override
    {
      const int per_block = Stage<0>::elements_of(n_threads);
      with_numerical_flux(arg.law, [&](const auto number) {
        launch_stage(column_stage_kernel<Stage<number>>,
                     (n_elements_to_do(arg.mesh) + per_block - 1) / per_block,
                     n_threads,
                     Stage<0>::shared_bytes(n_threads),
                     arg,
                     lines);
      });
      CudaRuntime::check_launch("stage");
    }

    bool
    set_hanging_fluxes(const StageArguments<Law, Number> &arg,
                       const bool                         with_ghosts) const override
    {
      if constexpr (HangingGroup<0>::available)
        {
          const HangingRange range =
            range_of_hanging_faces(arg.hanging, arg.mesh.n_elements, with_ghosts);
          const int     n         = arg.hanging.n_faces - range.first;
          constexpr int per_block = HangingGroup<0>::per_block;
          if (n > 0)
            with_numerical_flux(arg.law, [&](const auto number) {
              hanging_flux_kernel<HangingGroup<number>>
                <<<(n + per_block - 1) / per_block,
                   HangingGroup<0>::n_threads,
                   0,
                   CudaRuntime::stream()>>>(arg, lines, range);
            });
          CudaRuntime::check_launch("fluxes through hanging faces");
          return true;
        }
      return false;
    }

    void
    limit(const LimiterArguments<Law, Number> &) const override
    {} // the operator asks for it on simplices only

  private:
    const Lines lines;
    const int   n_threads; ///< of a block
  };

  template <GeometryKind kind, typename Law, typename Number, int degree = 0>
  ConservationLawKernels<Law, Number> *
  make_kernels(const ElementTables<Number> &host_tables, const int wanted)
  {
    if constexpr (check_law<Law>())
      {
        constexpr int dim = Law::dimension;
        if (host_tables.n_faces != Simplex<dim>::n_faces)
          return nullptr;
        if (wanted == degree)
          return new CudaConservationLaw<Law, Number, degree, kind>(host_tables);
        if constexpr (degree < max_degree(dim))
          return make_kernels<kind, Law, Number, degree + 1>(host_tables, wanted);
      }
    return nullptr;
  }

  template <GeometryKind kind, typename Law, typename Number, int degree = 0>
  ConservationLawKernels<Law, Number> *
  make_tensor_kernels(const ElementTables<Number> &host_tables, const int wanted)
  {
    constexpr int dim = Law::dimension;
    if constexpr (check_law<Law>() && degree <= max_tensor_degree(dim))
      {
        if (wanted != degree)
          return make_tensor_kernels<kind, Law, Number, degree + 1>(host_tables, wanted);
        if (LineTables<Number, degree + 1>::template fit<dim>(host_tables))
          return new CudaTensorLaw<Law, Number, degree, kind>(host_tables);
      }
    return nullptr;
  }

  /// Enter the kernels of a law in the table.
  template <GeometryKind kind, typename Law, typename Number>
  void
  register_kernels()
  {
    using Kernels = ConservationLawKernels<Law, Number>;
    KernelRegistry<Kernels, kind, ElementShape::hypercube>::cuda = {
      &make_tensor_kernels<kind, Law, Number>, 0, max_tensor_degree(Law::dimension)};
    KernelRegistry<Kernels, kind>::cuda = {&make_kernels<kind, Law, Number>,
                                           0,
                                           max_degree(Law::dimension)};
  }

  template <typename Law, typename Number>
  bool
  register_first_order()
  {
    register_kernels<GeometryKind::affine, Law, Number>();
    register_kernels<GeometryKind::stored, Law, Number>();
    if constexpr (check_law<Law>())
      return HangingWork<Law, Number>::template enrol<CudaThreads<>>();
    return true;
  }
} // namespace Saltus::CudaKernels

/// Compile the CUDA kernels of a law in one precision, but for those of second-order fluxes.
#define SALTUS_INSTANTIATE_CUDA_FIRST_ORDER(Number, ...) \
  SALTUS_REGISTER_CUDA(register_first_order, Number, __VA_ARGS__)

#endif
