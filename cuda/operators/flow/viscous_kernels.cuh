// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_viscous_kernels_cuh
#define saltus_cuda_operators_flow_viscous_kernels_cuh

#include <saltus/operators/flow/kernels/viscous_boundary.h>

#include <cuda/operators/elliptic/laplace_kernels.cuh>

namespace Saltus
{
  namespace
  {
    template <int dim, typename Number>
    class CudaViscousBoundaryKernels : public ViscousBoundaryKernels<dim, Number>
    {
    public:
      void
      apply(const ViscousBoundaryArguments<dim, Number> &arg) const override
      {
        run_element_threads<ViscousBoundaryElement<dim, Number>, QuadratureTables<dim, Number>>(
          arg, "boundary terms of the viscous operator");
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
