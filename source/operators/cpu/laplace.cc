// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/laplace_element.h>

namespace
{
  using namespace Saltus;

  template <int dim, typename Number>
  class CpuKernels : public LaplaceKernels<Number>
  {
  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      if (arg.is_by_point())
        run<true>(arg);
      else
        run<false>(arg);
    }

  private:
    template <bool by_point>
    static void
    run(const LaplaceArguments<Number> &arg)
    {
      constexpr int width = vector_bytes / sizeof(Number);
      using T             = Pack<Number, width>;
      using Tables        = LaplaceTables<dim, Number>;
      parallel_for(n_blocks(arg.mesh.n_elements), [&](const int begin, const int end) {
        const Tables                                            tables(arg.tables);
        LaplaceElement<dim, T, Number, width, by_point, Tables> element(arg, tables);
        const int                                               last =
          arg.mesh.n_elements < end * block_size ? arg.mesh.n_elements : end * block_size;
        for (int first = begin * block_size; first < last; first += width)
          element.run(first);
      });
    }
  };

  template <int dim, typename Number>
  LaplaceKernels<Number> *
  make(const ElementTables<Number> &, const int degree)
  {
    return degree <= max_laplace_degree(dim) ? new CpuKernels<dim, Number> : nullptr;
  }

  [[maybe_unused]] const bool registered = [] {
    LaplaceRegistry<2, double>::cpu[SALTUS_ISA_LEVEL] = &make<2, double>;
    LaplaceRegistry<2, float>::cpu[SALTUS_ISA_LEVEL]  = &make<2, float>;
    LaplaceRegistry<3, double>::cpu[SALTUS_ISA_LEVEL] = &make<3, double>;
    LaplaceRegistry<3, float>::cpu[SALTUS_ISA_LEVEL]  = &make<3, float>;
    return true;
  }();
} // namespace
