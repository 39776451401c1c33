// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_flow_kernels_viscous_kernels_h
#define saltus_source_operators_flow_kernels_viscous_kernels_h

// Kernels of the viscous operator for one set of vector instructions.
#include <saltus/operators/flow/kernels/viscous_boundary.h>

#include "../../elliptic/kernels/laplace_kernels.h"

namespace
{
  template <int dim, typename Number>
  class CpuViscousBoundaryKernels : public ViscousBoundaryKernels<dim, Number>
  {
  public:
    void
    apply(const ViscousBoundaryArguments<dim, Number> &arg) const override
    {
      for_element_groups(arg.mesh, 1, [&](const int element) {
        const QuadratureTables<dim, Number> tables(arg.tables);
        ViscousBoundaryElement<dim, Number>(arg, tables, element).run();
      });
    }
  };

  template <int dim, typename Number>
  bool
  register_viscous_kernels()
  {
    KernelRegistry<ViscousBoundaryKernels<dim, Number>>::cpu[SALTUS_ISA_LEVEL] = {
      [](const ElementTables<Number> &, const int) -> ViscousBoundaryKernels<dim, Number> * {
        return new CpuViscousBoundaryKernels<dim, Number>;
      },
      1,
      max_laplace_degree(dim)};
    return register_laplace_kernels<dim, Number, dim>();
  }
} // namespace

#endif
