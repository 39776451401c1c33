// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_programs_cuh
#define saltus_cuda_operators_conservation_law_second_order_programs_cuh

// The forms of second-order fluxes as programs, see KernelSource. SecondOrderProgram chooses the
// form.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/conservation_law/kernels/second_order_element.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/conservation_law/column_program.cuh>
#include <cuda/operators/conservation_law/second_order_boundary.cuh>
#include <cuda/operators/conservation_law/second_order_columns.cuh>
#include <cuda/operators/conservation_law/second_order_tensor.cuh>
#include <cuda/operators/conservation_law/second_order_thread.cuh>

namespace Saltus::CudaKernels
{
  /// SecondOrderArguments::boundary_terms of the elements in the mesh's range, and the outflow.
  template <typename Law,
            typename Number,
            ElementShape element_shape,
            GeometryKind kind,
            int          degree>
  struct SecondOrderBoundaryProgram
  {
    using Tables = TablesOfDegree<Law::dimension, Number, element_shape, degree>;

    static constexpr int         n_threads = 128;
    static constexpr LaunchShape shape{.n_threads = n_threads, .per_block = n_threads};

    static __device__ __forceinline__ void
    run(const SecondOrderArguments<Law, Number> &arg)
    {
      constexpr int     n = Law::n_components;
      __shared__ Number leaving[n_threads][n];
      const Tables      tables(arg.tables);
      const int         nf = tables.n_face_points(), per_block = n_threads / nf;
      const int         in_block = threadIdx.x / nf, q = threadIdx.x % nf;
      const int         b       = blockIdx.x * per_block + in_block;
      const bool        exists  = in_block < per_block && b < arg.boundary.n_faces;
      const int         element = exists ? arg.boundary.faces[b].element : -1;
      const bool        is_here = element >= arg.mesh.begin && element < arg.mesh.end;
      if (is_here)
        {
          using Point = SecondOrderBoundaryPoint<kind, Law, Number, Tables>;
          const Point           point(arg, tables, b, q);
          typename Point::State flux, jump;
          point.set(flux, jump);
          Number *const to = arg.boundary_terms + (static_cast<std::size_t>(b) * nf + q) * 2 * n;
          for (int c = 0; c < n; ++c)
            {
              to[c]                   = flux[c];
              to[n + c]               = jump[c];
              leaving[threadIdx.x][c] = point.weight() * flux[c];
            }
        }
      __syncthreads();
      if (is_here && arg.coefficients.weight != 0)
        for (int c = q; c < n; c += nf)
          {
            double sum = 0;
            for (int i = 0; i < nf; ++i)
              sum += leaving[in_block * nf + i][c];
            arg.boundary.outflow[b * n + c] -= arg.coefficients.weight * *arg.dt * sum;
          }
    }
  };

  /// One thread an element, see SecondOrderThread.
  template <typename Thread, bool are_bent>
  struct SecondOrderThreadProgram
  {
    using Tables = typename Thread::Tables;

    static constexpr LaunchShape shape{.n_threads    = Thread::n_threads,
                                       .per_block    = Thread::n_threads,
                                       .min_blocks   = Thread::min_blocks,
                                       .shared_bytes = Thread::shared_bytes,
                                       .waits        = true};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<double> &from, Tables &tables, double *)
    {
      tables.make(from, are_bent);
    }

    static __device__ __forceinline__ void
    run(const typename Thread::Arguments &arg, const Tables &tables)
    {
      CudaRuntime::let_next_kernel_begin();
      extern __shared__ double shared[];
      Thread::set_up(arg, tables, shared);
      Thread(arg, tables, shared).run();
    }
  };

  /// Tensor cores, see SecondOrderStage.
  template <typename Stage>
  struct SecondOrderTensorProgram
  {
    using Tables = const double *; ///< SecondOrderTables

    static constexpr LaunchShape shape{.n_threads     = 32 * Stage::n_warps,
                                       .per_block     = 8 * Stage::n_teams,
                                       .min_blocks    = 1,
                                       .shared_bytes  = Stage::shared_bytes,
                                       .is_persistent = true,
                                       .waits         = true};
    static constexpr int         memory_bytes = Stage::Tables::size * sizeof(double);

    static void
    make_tables(const ElementTables<double> &from, Tables &tables, double *memory)
    {
      tables = memory;
      Stage::Tables::make(from, memory);
    }

    static __device__ __forceinline__ void
    run(const typename Stage::Arguments &arg, const Tables &tables)
    {
      CudaRuntime::let_next_kernel_begin();
      extern __shared__ double shared[];
      if constexpr (Stage::n_copied > 0)
        copy_to_block(tables + Stage::copied, shared, Stage::n_copied);
      Stage(arg, tables, shared).run();
    }
  };

  /// Simplices with any quadrature, see SecondOrderElement: a thread an element, which needs no
  /// SecondOrderBoundaryProgram before.
  template <typename Law,
            typename Number,
            GeometryKind kind,
            int          degree,
            bool         lacks_cores  = false,
            bool         lacks_memory = false>
  struct SecondOrderGeneralProgram
  {
    struct Tables
    {};

    static constexpr LaunchShape shape{.n_threads           = 128,
                                       .per_block           = 128,
                                       .is_general          = true,
                                       .lacks_tensor_cores  = lacks_cores,
                                       .lacks_shared_memory = lacks_memory};
    static constexpr int         memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &, Tables &, double *)
    {}

    static __device__ __forceinline__ void
    run(const SecondOrderArguments<Law, Number> &arg, const Tables &)
    {
      using ElementTablesOfDegree =
        TablesOfDegree<Law::dimension, Number, ElementShape::simplex, degree>;
      const int element = arg.mesh.begin + blockIdx.x * shape.n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const ElementTablesOfDegree tables(arg.tables);
      SecondOrderElement<kind, Law, Number, Number, 1, ElementTablesOfDegree>(arg, tables, element)
        .run();
    }
  };

  /// The fastest form of second-order fluxes for one degree on one kind of element.
  /// @tparam artificial,varies see SecondOrderTerms
  /// @tparam has_face_frames see StoredArrays
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <typename Law,
            typename Number,
            ElementShape element_shape,
            GeometryKind kind,
            int          degree,
            bool         artificial,
            bool         varies,
            bool         has_face_frames,
            int          nv,
            int          nf>
  struct ChooseSecondOrder
  {
    static constexpr int dim = Law::dimension;

    static constexpr auto
    choose()
    {
      if constexpr (element_shape == ElementShape::hypercube)
        return ColumnProgram<dim,
                             SecondOrderColumns<Law, Number, degree, kind, artificial, varies>,
                             false>();
      else if constexpr (!HasSecondOrderFlux<Law>::value || !std::is_same_v<Number, double>)
        return SecondOrderGeneralProgram<Law, Number, kind, degree>();
      else if constexpr (has_second_order_thread<Law, degree>())
        {
          using Thread = SecondOrderThread<Law, degree, kind, artificial, varies>;
          if constexpr (Thread::Tables::nv != nv || Thread::Tables::nf != nf ||
                        (kind != GeometryKind::affine && !has_face_frames))
            return SecondOrderGeneralProgram<Law, Number, kind, degree>();
          else if constexpr (Thread::shared_bytes > shared_memory_of_block)
            return SecondOrderGeneralProgram<Law, Number, kind, degree, false, true>();
          else
            return SecondOrderThreadProgram<Thread, kind != GeometryKind::affine>();
        }
      else
        {
          using Stage = SecondOrderStage<Law, degree, kind, artificial, varies>;
          if constexpr (Stage::Tables::nv != nv || Stage::Tables::nf != nf)
            return SecondOrderGeneralProgram<Law, Number, kind, degree>();
          else if constexpr (!has_double_tensor_cores)
            return SecondOrderGeneralProgram<Law, Number, kind, degree, true, false>();
          else if constexpr (Stage::n_teams < 1)
            return SecondOrderGeneralProgram<Law, Number, kind, degree, false, true>();
          else
            return SecondOrderTensorProgram<Stage>();
        }
    }
  };

  template <typename Law,
            typename Number,
            ElementShape element_shape,
            GeometryKind kind,
            int          degree,
            bool         artificial,
            bool         varies,
            bool         has_face_frames,
            int          nv,
            int          nf>
  struct SecondOrderProgram
    : decltype(ChooseSecondOrder<Law,
                                 Number,
                                 element_shape,
                                 kind,
                                 degree,
                                 artificial,
                                 varies,
                                 has_face_frames,
                                 nv,
                                 nf>::choose())
  {};
} // namespace Saltus::CudaKernels

#endif
