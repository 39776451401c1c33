// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_penalty_kernels_cuh
#define saltus_cuda_operators_flow_penalty_kernels_cuh

#include <saltus/operators/flow/kernels/penalty_element.h>

#include <cuda/operators/flow/penalty_tensor.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>

namespace Saltus
{
  namespace
  {
    /// Whether one thread an element was found to be faster than tensor cores.
    constexpr bool
    threads_are_faster(const int dim, const int degree)
    {
      return dim == 2 && degree == 1;
    }

    template <int dim, typename Number, int degree>
    class CudaPenaltyKernels : public PenaltyKernels<dim, Number>
    {
    public:
      explicit CudaPenaltyKernels(const ElementTables<Number> &host)
      {
        if (!threads_are_faster(dim, degree) && Fast::fits(host) &&
            CudaRuntime::has_double_tensor_cores(CudaRuntime::current_device()))
          fast = std::make_unique<Fast>(host);
      }

      void
      apply(const PenaltyArguments<Number> &arg) const override
      {
        const char *name = "penalty operator";
        if (!fast)
          return run_element_threads<Element, Tables>(arg, name);
        (*fast)(arg);
        CudaRuntime::check_launch(name);
      }

      const char *
      fallback() const override
      {
        return fast || threads_are_faster(dim, degree)
                 ? nullptr
                 : "the faster ones need tensor cores for double precision, as data centre GPUs "
                   "have them";
      }

    private:
      using Tables  = DegreeTables<dim, Number, degree>;
      using Element = PenaltyElement<dim, Number, Number, 1, Tables>;
      using Fast    = CudaKernels::PenaltyTensorLauncher<dim, degree>;

      std::unique_ptr<Fast> fast;
    };

    template <int dim, typename Number>
    PenaltyKernels<dim, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      return make_for_degree<max_flow_degree(dim)>(
        wanted, [&](const auto degree) -> PenaltyKernels<dim, Number> * {
          return new CudaPenaltyKernels<dim, Number, decltype(degree)::value>(tables);
        });
    }

    template <int dim, typename Number>
    bool
    register_penalty_kernels()
    {
      KernelRegistry<PenaltyKernels<dim, Number>>::cuda = {&make<dim, Number>,
                                                           1,
                                                           max_flow_degree(dim)};
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
