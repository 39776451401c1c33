// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_flow_kernels_flow_kernels_h
#define saltus_source_operators_flow_kernels_flow_kernels_h

// Kernels of incompressible flow for one set of vector instructions.
#include <saltus/operators/flow/kernels/flow_element.h>

#include "../../spaces/kernels/element_groups.h"

namespace
{
  template <typename Form, typename Number>
  class CpuFlowKernels : public FlowKernels<Form, Number>
  {
    static constexpr int width = vector_bytes / sizeof(Number);
    using T                    = Pack<Number, width>;
    using Tables               = QuadratureTables<Form::dimension, Number>;

  public:
    void
    apply(const FlowArguments<Form, Number> &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        const Tables tables(arg.tables);
        FlowElement<Form, T, Number, width, Tables>(arg, tables, first).run();
      });
    }
  };

  template <typename Form, typename Number>
  bool
  register_flow_kernels()
  {
    KernelRegistry<FlowKernels<Form, Number>>::cpu[SALTUS_ISA_LEVEL] = {
      [](const ElementTables<Number> &, const int) -> FlowKernels<Form, Number> * {
        return new CpuFlowKernels<Form, Number>;
      },
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

#endif
