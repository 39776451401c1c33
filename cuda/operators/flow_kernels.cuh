// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_kernels_cuh
#define saltus_cuda_operators_flow_kernels_cuh

#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/flow_element.h>

#include <cuda/base/check.cuh>
#include <cuda/operators/flow_tensor.cuh>
#include <memory>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    template <typename Form, typename Number, int degree>
    __global__ void
    __launch_bounds__(n_threads)
      flow_kernel(const __grid_constant__ FlowArguments<Form, Number> arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      constexpr int dim = Form::dimension;
      using Tables      = QuadratureTables<dim, Number, Simplex<dim>::n_modes(degree)>;
      const Tables tables(arg.tables);
      FlowElement<Form, Number, Number, 1, Tables>(arg, tables, element).run();
    }

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
        if (fast)
          (*fast)(arg);
        else
          {
            const int n_blocks = (arg.mesh.end - arg.mesh.begin + n_threads - 1) / n_threads;
            flow_kernel<Form, Number, degree>
              <<<n_blocks, n_threads, 0, CudaRuntime::stream()>>>(arg);
          }
        CudaRuntime::check_launch("operators of incompressible flow");
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
      using Fast = CudaKernels::FlowTensorLauncher<Form, degree>;

      std::unique_ptr<Fast> fast;
    };

    template <typename Form, typename Number, int degree = 1>
    FlowKernels<Form, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      if (wanted == degree)
        return new CudaFlowKernels<Form, Number, degree>(tables);
      if constexpr (degree < max_flow_degree(Form::dimension))
        return make<Form, Number, degree + 1>(tables, wanted);
      else
        return nullptr;
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
