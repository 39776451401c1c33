// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_stage_programs_cuh
#define saltus_cuda_operators_conservation_law_stage_programs_cuh

// The forms of the Runge-Kutta stage as programs, see KernelSource. StageProgram chooses the form.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/conservation_law/kernels/stage_geometry.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/conservation_law/column_program.cuh>
#include <cuda/operators/conservation_law/column_stage.cuh>
#include <cuda/operators/conservation_law/hanging_flux_group.cuh>
#include <cuda/operators/conservation_law/team_stage.cuh>
#include <cuda/operators/conservation_law/tetrahedron_stage.cuh>
#include <cuda/operators/conservation_law/thread_stage.cuh>
#include <cuda/operators/conservation_law/triangle_stage.cuh>

namespace Saltus::CudaKernels
{
  /// One thread an element, see ThreadStage.
  template <typename Stage>
  struct ThreadStageProgram
  {
    using Arguments = typename Stage::Arguments;
    using Tables    = typename Stage::Tables;

    static constexpr LaunchShape shape{.n_threads  = Stage::n_threads,
                                       .per_block  = Stage::n_threads,
                                       .min_blocks = Stage::min_blocks,
                                       .waits      = true};
    static constexpr int         memory_bytes = 0;

    template <typename Number>
    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      tables.make(from);
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &tables)
    {
      CudaRuntime::let_next_kernel_begin();
      __shared__ typename Stage::value_type scratch[Stage::scratch_size];
      Stage(arg, tables, scratch).run();
    }
  };

  /// Eight elements a warp on tensor cores, see TriangleStage and TetrahedronStage.
  template <typename Stage>
  struct TensorStageProgram
  {
    using Arguments = typename Stage::Arguments;

    struct Tables
    {
      typename Stage::Normals normals;
      const double           *operands; ///< the threads of a block copy them
    };

    static constexpr LaunchShape shape{.n_threads     = 32 * Stage::n_warps,
                                       .per_block     = 8 * Stage::n_warps,
                                       .min_blocks    = Stage::min_blocks,
                                       .shared_bytes  = Stage::shared_bytes,
                                       .is_persistent = true,
                                       .waits         = true};
    static constexpr int         memory_bytes = Stage::Tables::size * sizeof(double);

    template <typename Number>
    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *operands)
    {
      tables.normals  = typename Stage::Normals(from.face_normals);
      tables.operands = operands;
      Stage::Tables::make(from, operands);
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &tables)
    {
      CudaRuntime::let_next_kernel_begin();
      extern __shared__ double shared[];
      static_assert(Stage::Tables::size % 2 == 0);
      copy_to_block(tables.operands, shared, Stage::Tables::size);
      Stage(arg, tables.normals, shared).run();
    }
  };

  /// Any quadrature and any geometry, see TeamStage.
  template <GeometryKind kind, typename Law, typename Number, typename Tables_>
  struct TeamStageProgram
  {
    using Arguments = StageArguments<Law, Number>;
    using Tables    = Tables_;
    using TeamType  = Team<Number, Law::n_components>;

    static constexpr LaunchShape shape{warps_per_block * warp_size,
                                       warps_per_block *TeamType::per_warp};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      tables.make(from);
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &tables)
    {
      __shared__ typename TeamType::Scratch      scratch;
      __shared__ typename Tables::NeighborTables neighbor_tables;
      neighbor_tables.load(arg.tables);
      const TeamType                       team(scratch);
      TeamStage<Law, Number, Tables, kind> stage(arg, tables, neighbor_tables, team);
      stage.add_volume();
      stage.add_faces();
      if constexpr (kind != GeometryKind::affine)
        stage.apply_inverse_mass();
      stage.update();
    }
  };

  /// The fastest form of the stage for one degree on one kind of element.
  /// @tparam number of the numerical flux, see NumericalFluxes
  /// @tparam geometry the arrays that a mesh of curved elements has, see StageGeometry
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <typename Law,
            typename Number,
            ElementShape  element_shape,
            GeometryKind  kind,
            StageGeometry geometry,
            int           degree,
            int           number,
            int           nv,
            int           nf>
  struct ChooseStage
  {
    static constexpr int dim = Law::dimension;

    using Fixed = FixedTables<Number, dim, degree>;
    using Any   = AnyTables<Number, dim, degree>;

    /// The general form.
    template <bool lacks_cores, bool lacks_memory>
    struct Slower : TeamStageProgram<kind, Law, Number, Any>
    {
      static constexpr LaunchShape shape{
        .n_threads           = TeamStageProgram<kind, Law, Number, Any>::shape.n_threads,
        .per_block           = TeamStageProgram<kind, Law, Number, Any>::shape.per_block,
        .is_general          = true,
        .lacks_tensor_cores  = lacks_cores,
        .lacks_shared_memory = lacks_memory};
    };

    static constexpr auto
    choose()
    {
      if constexpr (element_shape == ElementShape::hypercube)
        return ColumnProgram<dim, ColumnStage<Law, Number, degree, number, kind>, true>();
      else if constexpr (has_tensor_form())
        {
          using Stage = typename TensorForm<dim>::type;
          if constexpr (Stage::Tables::nv != nv || Stage::Tables::nf != nf)
            return Slower<false, false>();
          else if constexpr (!has_double_tensor_cores ||
                             Stage::shared_bytes > shared_memory_of_block)
            return Slower<!has_double_tensor_cores, has_double_tensor_cores>();
          else
            return TensorStageProgram<Stage>();
        }
      else if constexpr (kind == GeometryKind::affine)
        {
          using Thread = ThreadStage<Law, Number, degree, number>;
          if constexpr (Thread::available && Thread::nv == nv && Thread::nf == nf)
            return ThreadStageProgram<Thread>();
          else if constexpr (Fixed::available && Fixed::nv == nv && Fixed::nf == nf)
            return TeamStageProgram<kind, Law, Number, Fixed>();
          else if constexpr (!Thread::available && !Fixed::available)
            return TeamStageProgram<kind, Law, Number, Any>();
          else
            return Slower<false, false>();
        }
      else
        return Slower<false, false>();
    }

  private:
    template <int dim, typename = void>
    struct TensorForm
    {
      using type = TriangleStage<Law, Number, degree, number, kind>;
    };

    template <typename Nothing>
    struct TensorForm<3, Nothing>
    {
      using type =
        TetrahedronStage<Law, Number, degree, number, kind, geometry == StageGeometry::tangents>;
    };

    static constexpr bool
    has_tensor_form()
    {
      constexpr int  n_modes = Simplex<dim>::n_modes(degree), n = Law::n_components;
      constexpr bool is_for_triangles = dim == 2;
      if constexpr (geometry == StageGeometry::points)
        return false;
      else if constexpr (!is_for_triangles && !CoefficientLayout{n_modes, n}.element_by_element())
        return false;
      else if constexpr (geometry == StageGeometry::tangents &&
                         !TetrahedronGroup::may_be_of_tangents(degree))
        return false;
      else
        return TensorForm<dim>::type::available;
    }
  };

  template <typename Law,
            typename Number,
            ElementShape  element_shape,
            GeometryKind  kind,
            StageGeometry geometry,
            int           degree,
            int           number,
            int           nv,
            int           nf>
  struct StageProgram
    : decltype(ChooseStage<Law, Number, element_shape, kind, geometry, degree, number, nv, nf>::
                 choose())
  {};

  /// The fluxes through hanging faces, see HangingFluxGroup.
  template <typename Law, typename Number, int degree, int number>
  struct HangingFluxProgram
  {
    using Group  = HangingFluxGroup<Law, Number, degree, number>;
    using Tables = typename Group::Lines;

    static constexpr LaunchShape shape{Group::n_threads, Group::per_block};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      tables = Tables::template make<Law::dimension>(from);
    }

    static __device__ __forceinline__ void
    run(const StageArguments<Law, Number> &arg, const HangingRange range, const Tables &lines)
    {
      __shared__ typename Group::Tables tables;
      __shared__ typename Group::Room   rooms[Group::per_block];
      Group(arg, lines, range, tables, rooms).run();
    }
  };


  /// The states outside boundary faces and across given faces, one thread a point. It runs before
  /// the stage, whose threads have no registers for it.
  template <int n_modes, typename Law, typename Number>
  struct BoundaryProgram
  {
    static constexpr LaunchShape shape{.n_threads = 128, .per_block = 128, .waits = true};

    /// @param n_faces given faces behind those of the boundary
    static __device__ __forceinline__ void
    run(const StageArguments<Law, Number> &arg, const int n_faces)
    {
      // In this order: the stage reads what was written before without waiting for it.
      CudaRuntime::wait_for_kernel_before();
      CudaRuntime::let_next_kernel_begin();
      constexpr int dim = Law::dimension, n = Law::n_components;
      const int     nf    = arg.tables.n_face_points;
      const int     point = blockIdx.x * blockDim.x + threadIdx.x;
      const int     b = point / nf, q = point % nf, g = b - arg.boundary.n_faces;
      if (b >= n_faces)
        return;
      const auto state = [&](const int element, const int f, const int i) {
        return state_on_face<n_modes>(arg, element, f, i);
      };
      Array<Number, n> outside;
      if (g >= 0)
        {
          const FaceRecord across = read_face(arg.given.neighbors + g);
          outside                 = state(across.neighbor,
                          across.face,
                          arg.tables.face_permutations[across.orientation * nf + q]);
        }
      else
        {
          const BoundaryFaceData &face = arg.boundary.faces[b];
          Array<Number, dim>      normal;
          for (int d = 0; d < dim; ++d)
            normal[d] = arg.boundary.normals[static_cast<std::size_t>(point) * dim + d];
          outside = arg.law.boundary_state(face.kind,
                                           state(face.element, face.face, q),
                                           arg.boundary.template data_at<n>(b, q),
                                           normal);
        }
      for (int c = 0; c < n; ++c)
        arg.boundary.states[static_cast<std::size_t>(point) * n + c] = outside[c];
    }
  };

  /// The outflow through the boundary after a stage: a thread for each face and component sums up
  /// the fluxes of store_outflow(), always in the same order.
  template <typename Law, typename Number>
  struct OutflowProgram
  {
    static constexpr LaunchShape shape{.n_threads = 128, .per_block = 128, .waits = true};

    static __device__ __forceinline__ void
    run(const StageArguments<Law, Number> &arg)
    {
      CudaRuntime::let_next_kernel_begin();
      constexpr int n = Law::n_components, dim = Law::dimension;
      constexpr int at_once = 16; // points: each read takes long, all of them together no longer
      const int     i = blockIdx.x * blockDim.x + threadIdx.x, b = i / n, c = i % n;
      if (b >= arg.boundary.n_faces)
        return;
      const auto geometry =
        affine_geometry<dim>(arg.mesh.inverse_jacobians, arg.boundary.faces[b].element);
      const double scale = arg.coefficients.weight * *arg.dt * geometry.volume_factor();
      CudaRuntime::wait_for_kernel_before();
      const int           nf     = arg.tables.n_face_points;
      const Number *const fluxes = arg.boundary.states + static_cast<std::size_t>(b) * nf * n + c;
      double              sum    = 0;
      for (int first = 0; first < nf; first += at_once)
        {
          double weighted[at_once];
#pragma unroll
          for (int j = 0; j < at_once; ++j)
            {
              const int q = first + j;
              weighted[j] = q < nf ? __ldg(arg.tables.face_weights + q) * fluxes[q * n] : 0.;
            }
#pragma unroll
          for (int j = 0; j < at_once; ++j)
            sum += weighted[j];
        }
      arg.boundary.outflow[i] += scale * sum;
    }
  };
} // namespace Saltus::CudaKernels

#endif
