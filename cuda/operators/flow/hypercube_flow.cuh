// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_hypercube_flow_cuh
#define saltus_cuda_operators_flow_hypercube_flow_cuh

// The program of weak derivatives on quadrilaterals and hexahedra.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/spaces/hypercube_tables.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/flow/flow_team.cuh>
#include <cuda/operators/spaces/element_programs.cuh>

namespace Saltus::CudaKernels
{
  /// An operator on quadrilaterals or hexahedra, see FlowFamily: with a team of threads an element
  /// for the rule that integrates the form exactly. For other rules, which convection may have, and
  /// with less shared memory, the program takes one thread an element.
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <GeometryKind kind, typename Family, int degree, int nv, int nf>
  class FlowTeamProgram
  {
    using Arguments = typename Family::Arguments;
    using Number    = typename Arguments::value_type;

    static constexpr int dim = Family::dim, n = degree + 1,
                         n_q = points_of_rule(Family::order, degree);

    using Reference = HypercubeTables<dim, Number, degree>;
    using General   = ElementThreadsProgram<Family, kind, Reference>;
    using Points    = typename Family::template Points<kind, Number, 1, Reference>;

    template <int n_elements>
    using Team = FlowTeam<Points, n, n_q, n_elements>;

    /// Registers of a thread, with few spills, and memory of a multiprocessor of the GPUs for
    /// which blocks are chosen. Others hold fewer blocks.
    static constexpr int n_registers   = dim == 2 || degree < 3 ? 128 : 168;
    static constexpr int shared_memory = 224 * 1024;

    static constexpr int
    threads_of(const int n_elements)
    {
      return n_elements * Team<1>::n_threads;
    }

    /// Blocks of threads on a multiprocessor.
    static constexpr int
    blocks(const int n_elements)
    {
      const int of_registers = 65536 / ((threads_of(n_elements) + 31) / 32 * 32 * n_registers);
      const int of_memory    = shared_memory / (n_elements * Team<1>::shared_bytes + 1024);
      return of_registers < of_memory ? of_registers : of_memory;
    }

    /// Elements of a block of threads: neighbours are in the caches of a multiprocessor then, but
    /// there must be several blocks on it, and no less than three quarters of the threads that
    /// smaller ones have.
    static constexpr int
    choose_elements()
    {
      constexpr int max_threads = 192;
      int           result      = 1;
      for (int n_elements = 2; n_elements <= 16 && threads_of(n_elements) <= max_threads;
           n_elements *= 2)
        if (4 * blocks(n_elements) * threads_of(n_elements) >=
            3 * blocks(result) * threads_of(result))
          result = n_elements;
      return result;
    }

    using Chosen = Team<choose_elements()>;

    static constexpr bool fits       = nv == power(n_q, dim) && nf == power(n_q, dim - 1),
                          has_memory = Chosen::shared_bytes <= shared_memory_of_block,
                          is_fast    = fits && has_memory;
    static_assert(is_fast || Family::order > 2, "Only convection may have any rule.");

  public:
    using Tables = typename Chosen::Lines;

    static constexpr LaunchShape shape =
      is_fast
        ? LaunchShape{.n_threads    = threads_of(Chosen::per_block),
                      .per_block    = Chosen::per_block,
                      .min_blocks   = blocks(Chosen::per_block) > 0 ? blocks(Chosen::per_block) : 1,
                      .shared_bytes = Chosen::shared_bytes}
        : LaunchShape{.n_threads           = General::shape.n_threads,
                      .per_block           = General::shape.per_block,
                      .is_general          = true,
                      .lacks_shared_memory = fits};
    static constexpr int memory_bytes = 0;

    static void
    make_tables(const ElementTables<Number> &from, Tables &tables, double *)
    {
      if constexpr (is_fast)
        tables = Tables::template make<dim>(from);
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &lines)
    {
      if constexpr (is_fast)
        {
          extern __shared__ __align__(16) unsigned char memory[];
          const Reference                               tables(arg.tables);
          const int                                     element =
            arg.mesh.begin + blockIdx.x * Chosen::per_block + threadIdx.x % Chosen::per_block;
          Chosen(arg, tables, lines, element, reinterpret_cast<Number *>(memory)).run();
        }
      else
        General::run(arg);
    }
  };
} // namespace Saltus::CudaKernels

#endif
