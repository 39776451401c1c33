// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_penalty_kernels_cuh
#define saltus_cuda_operators_penalty_kernels_cuh

#include <saltus/operators/penalty_element.h>

#include <cuda/operators/element_threads.cuh>

namespace Saltus
{
  namespace
  {
    template <int dim, typename Number, int degree>
    class CudaPenaltyKernels : public PenaltyKernels<dim, Number>
    {
      using Tables = DegreeTables<dim, Number, degree>;

    public:
      void
      apply(const PenaltyArguments<Number> &arg) const override
      {
        run_element_threads<PenaltyElement<dim, Number, Number, 1, Tables>, Tables>(
          arg, "penalty operator");
      }
    };

    template <int dim, typename Number>
    PenaltyKernels<dim, Number> *
    make(const ElementTables<Number> &, const int wanted)
    {
      return make_for_degree<max_flow_degree(dim)>(
        wanted, [](const auto degree) -> PenaltyKernels<dim, Number> * {
          return new CudaPenaltyKernels<dim, Number, decltype(degree)::value>;
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
