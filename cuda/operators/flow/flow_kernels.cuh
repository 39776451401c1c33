// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_flow_kernels_cuh
#define saltus_cuda_operators_flow_flow_kernels_cuh

#include <saltus/operators/flow/kernels/flow_element.h>

#include <cuda/operators/flow/flow_tensor.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>

namespace Saltus
{
  namespace
  {
    /// Whether one thread an element was found to be faster than tensor cores.
    template <typename Form>
    constexpr bool
    threads_are_faster(const int degree)
    {
      return degree == 1 && (Form::n_in == 1 || (Form::n_out == 1 && Form::dimension == 2));
    }

    template <typename Form, typename Number, int degree>
    class CudaFlowKernels : public FlowKernels<Form, Number>
    {
    public:
      explicit CudaFlowKernels(const ElementTables<Number> &host)
      {
        if (!threads_are_faster<Form>(degree) &&
            CudaRuntime::has_double_tensor_cores(CudaRuntime::current_device()))
          fast = std::make_unique<Fast>(host);
      }

      void
      apply(const FlowArguments<Form, Number> &arg) const override
      {
        const char *name = "operators of incompressible flow";
        if (!fast)
          return run_element_threads<Element, Tables>(arg, name);
        (*fast)(arg);
        CudaRuntime::check_launch(name);
      }

      const char *
      fallback() const override
      {
        return fast || threads_are_faster<Form>(degree)
                 ? nullptr
                 : "the faster ones need tensor cores for double precision, as data centre GPUs "
                   "have them";
      }

    private:
      using Tables  = DegreeTables<Form::dimension, Number, degree>;
      using Element = FlowElement<Form, Number, Number, 1, Tables>;
      using Fast    = CudaKernels::FlowTensorLauncher<Form, degree>;

      std::unique_ptr<Fast> fast;
    };

    template <typename Form, typename Number>
    FlowKernels<Form, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      return make_for_degree<max_flow_degree(Form::dimension)>(
        wanted, [&](const auto degree) -> FlowKernels<Form, Number> * {
          return new CudaFlowKernels<Form, Number, decltype(degree)::value>(tables);
        });
    }

    template <typename Form, typename Number>
    bool
    register_flow_kernels()
    {
      KernelRegistry<FlowKernels<Form, Number>>::cuda = {&make<Form, Number>,
                                                         1,
                                                         max_flow_degree(Form::dimension)};
      return true;
    }

    template <int dim, typename Number>
    bool
    register_flow_kernels()
    {
      return register_flow_kernels<PressureGradient<dim>, Number>() &&
             register_flow_kernels<VelocityDivergence<dim>, Number>() &&
             register_flow_kernels<Convection<dim, true>, Number>() &&
             register_flow_kernels<Convection<dim, false>, Number>();
    }
  } // namespace
} // namespace Saltus

#endif
