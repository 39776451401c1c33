// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_hypercube_flow_cuh
#define saltus_cuda_operators_flow_hypercube_flow_cuh

// RangeKernels of weak derivatives on quadrilaterals and hexahedra.
#include <saltus/operators/spaces/hypercube_tables.h>
#include <saltus/operators/spaces/kernel_registry.h>

#include <cuda/base/device/context.cuh>
#include <cuda/operators/flow/flow_team.cuh>
#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    /// With a team of threads an element, for the rule that integrates the form exactly.
    template <typename Family, GeometryKind kind, int degree>
    class FlowTeams
    {
      using Arguments = typename Family::Arguments;
      using Number    = typename Arguments::value_type;

      static constexpr int dim = Family::dim, n = degree + 1,
                           n_q = points_of_rule(Family::order, degree);

      using Tables = HypercubeTables<dim, Number, degree>;
      using Points = typename Family::template Points<kind, Number, 1, Tables>;

      template <int n_elements>
      using Team = CudaKernels::FlowTeam<Points, n, n_q, n_elements>;

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

      static constexpr int n_threads = threads_of(Chosen::per_block);
      static constexpr int
        min_blocks = blocks(Chosen::per_block) > 0 ? blocks(Chosen::per_block) : 1;

      static constexpr auto kernel = CudaKernels::flow_team_kernel<Chosen, min_blocks>;

    public:
      explicit FlowTeams(const ElementTables<Number> &host)
        : lines(Chosen::Lines::template make<dim>(host))
      {
        CudaRuntime::allow_shared_memory(kernel, Chosen::shared_bytes);
      }

      static bool
      fits(const ElementTables<Number> &host)
      {
        return Chosen::Lines::template fit<dim>(host) && points_on_line<dim>(host) == n_q;
      }

      static const char *
      lack()
      {
        return CudaRuntime::lack_for_kernels(Chosen::shared_bytes);
      }

      static constexpr bool runs_everywhere =
        Chosen::shared_bytes <= CudaRuntime::least_shared_memory;

      void
      operator()(const Arguments &arg) const
      {
        const int n_elements = arg.mesh.end - arg.mesh.begin;
        kernel<<<(n_elements + Chosen::per_block - 1) / Chosen::per_block,
                 n_threads,
                 Chosen::shared_bytes,
                 CudaRuntime::stream()>>>(arg, lines);
      }

    private:
      const typename Chosen::Lines lines;
    };

    template <typename Family, GeometryKind kind, int degree>
    class CudaHypercubeFlow : public RangeKernels<typename Family::Arguments>
    {
      using Arguments = typename Family::Arguments;
      using Teams     = FlowTeams<Family, kind, degree>;

    public:
      explicit CudaHypercubeFlow(const ElementTables<typename Arguments::value_type> &host)
        : teams(host)
      {}

      void
      apply(const Arguments &arg) const override
      {
        teams(arg);
        CudaRuntime::check_launch(Family::name);
      }

    private:
      const Teams teams;
    };

    /// For other rules, of which convection may have any, and for less shared memory.
    template <typename Family, GeometryKind kind>
    class AnyRuleHypercubeFlow : public RangeKernels<typename Family::Arguments>
    {
      using Arguments = typename Family::Arguments;
      using Number    = typename Arguments::value_type;
      using Tables    = HypercubeTables<Family::dim, Number, Family::max_hypercube_degree>;
      using Element   = typename Family::template Element<kind, Number, 1, Tables>;

    public:
      explicit AnyRuleHypercubeFlow(const char *reason)
        : reason(reason)
      {}

      void
      apply(const Arguments &arg) const override
      {
        run_element_threads<Element, Tables>(arg);
        CudaRuntime::check_launch(Family::name);
      }

      const char *
      fallback() const override
      {
        return reason;
      }

    private:
      const char *const reason;
    };

    template <typename Family, GeometryKind kind>
    void
    enrol_hypercube_flow_of_kind()
    {
      using Kernels                              = RangeKernels<typename Family::Arguments>;
      using Number                               = typename Kernels::value_type;
      constexpr auto shape                       = ElementShape::hypercube;
      constexpr int  max                         = Family::max_hypercube_degree;
      KernelRegistry<Kernels, kind, shape>::cuda = {
        [](const ElementTables<Number> &host, const int wanted) {
          return make_for_degree<max>(wanted, [&](const auto number) -> Kernels * {
            constexpr int degree = decltype(number)::value;
            using Teams          = FlowTeams<Family, kind, degree>;
            const bool fits      = Teams::fits(host);
            if (fits && Teams::lack() == nullptr)
              return new CudaHypercubeFlow<Family, kind, degree>(host);
            if constexpr (Family::order > 2)
              return new AnyRuleHypercubeFlow<Family, kind>(
                fits ? Teams::lack() : "the faster ones have the quadrature that is exact");
            else
              {
                static_assert(Teams::runs_everywhere);
                return nullptr;
              }
          });
        },
        1,
        max};
    }

    template <typename Family>
    bool
    enrol_hypercube_flow()
    {
      enrol_hypercube_flow_of_kind<Family, GeometryKind::affine>();
      enrol_hypercube_flow_of_kind<Family, GeometryKind::stored>();
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
