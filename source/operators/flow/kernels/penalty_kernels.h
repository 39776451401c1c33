// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_flow_kernels_penalty_kernels_h
#define saltus_source_operators_flow_kernels_penalty_kernels_h

// Kernels of the penalty operator for one set of vector instructions.
#include <saltus/operators/flow/kernels/penalty_element.h>

#include "../../spaces/kernels/element_groups.h"

namespace
{
  template <int dim, typename Number>
  class CpuPenaltyKernels : public PenaltyKernels<dim, Number>
  {
    static constexpr int width = vector_bytes / sizeof(Number);
    using T                    = Pack<Number, width>;
    using Tables               = QuadratureTables<dim, Number>;

  public:
    void
    apply(const PenaltyArguments<Number> &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        const Tables tables(arg.tables);
        PenaltyElement<dim, T, Number, width, Tables>(arg, tables, first).run();
      });
    }
  };

  template <int dim, typename Number>
  bool
  register_penalty_kernels()
  {
    KernelRegistry<PenaltyKernels<dim, Number>>::cpu[SALTUS_ISA_LEVEL] = {
      [](const ElementTables<Number> &, const int) -> PenaltyKernels<dim, Number> * {
        return new CpuPenaltyKernels<dim, Number>;
      },
      1,
      max_flow_degree(dim)};
    return true;
  }
} // namespace

#endif
