// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_penalty_kernels_cuh
#define saltus_cuda_operators_penalty_kernels_cuh

// One thread an element.
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/penalty_element.h>

#include <cuda/base/check.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    template <int dim, typename Number, int degree>
    __global__ void
    __launch_bounds__(n_threads)
      penalty_kernel(const __grid_constant__ PenaltyArguments<Number> arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      using Tables = QuadratureTables<dim, Number, Simplex<dim>::n_modes(degree)>;
      const Tables tables(arg.tables);
      PenaltyElement<dim, Number, Number, 1, Tables>(arg, tables, element).run();
    }

    template <int dim, typename Number, int degree>
    class CudaPenaltyKernels : public PenaltyKernels<dim, Number>
    {
    public:
      void
      apply(const PenaltyArguments<Number> &arg) const override
      {
        const int n_blocks = (arg.mesh.end - arg.mesh.begin + n_threads - 1) / n_threads;
        penalty_kernel<dim, Number, degree><<<n_blocks, n_threads, 0, CudaRuntime::stream()>>>(arg);
        CudaRuntime::check_launch("penalty operator");
      }
    };

    template <int dim, typename Number, int degree = 1>
    PenaltyKernels<dim, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      if (wanted == degree)
        return new CudaPenaltyKernels<dim, Number, degree>;
      if constexpr (degree < max_flow_degree(dim))
        return make<dim, Number, degree + 1>(tables, wanted);
      else
        return nullptr;
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
