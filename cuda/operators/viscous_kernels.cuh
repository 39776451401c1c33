// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_viscous_kernels_cuh
#define saltus_cuda_operators_viscous_kernels_cuh

#include <saltus/operators/viscous_boundary.h>

#include <cuda/operators/laplace_kernels.cuh>

namespace Saltus
{
  namespace
  {
    template <int dim, typename Number>
    __global__ void
    __launch_bounds__(n_threads)
      viscous_boundary_kernel(const __grid_constant__ ViscousBoundaryArguments<dim, Number> arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const QuadratureTables<dim, Number> tables(arg.tables);
      ViscousBoundaryElement<dim, Number>(arg, tables, element).run();
    }

    template <int dim, typename Number>
    class CudaViscousBoundaryKernels : public ViscousBoundaryKernels<dim, Number>
    {
    public:
      void
      apply(const ViscousBoundaryArguments<dim, Number> &arg) const override
      {
        viscous_boundary_kernel<<<n_thread_blocks(arg.mesh.end - arg.mesh.begin),
                                  n_threads,
                                  0,
                                  CudaRuntime::stream()>>>(arg);
        CudaRuntime::check_launch("boundary terms of the viscous operator");
      }
    };

    template <int dim, typename Number>
    bool
    register_viscous_kernels()
    {
      KernelRegistry<ViscousBoundaryKernels<dim, Number>>::cuda = {
        [](const ElementTables<Number> &, const int) -> ViscousBoundaryKernels<dim, Number> * {
          return new CudaViscousBoundaryKernels<dim, Number>;
        },
        1,
        max_laplace_degree(dim)};
      return register_laplace_kernels<dim, Number, dim>();
    }
  } // namespace
} // namespace Saltus

#endif
