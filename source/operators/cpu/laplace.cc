// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/laplace_element.h>

namespace
{
  using namespace Saltus;

  template <int dim, typename Number>
  class CpuKernels : public LaplaceKernels<dim, Number>
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
  LaplaceKernels<dim, Number> *
  make(const ElementTables<Number> &, const int /*degree*/)
  {
    return new CpuKernels<dim, Number>;
  }

  template <int dim, typename Number>
  bool
  register_kernels()
  {
    KernelRegistry<LaplaceKernels<dim, Number>>::cpu[SALTUS_ISA_LEVEL] = {&make<dim, Number>,
                                                                          1,
                                                                          max_laplace_degree(dim)};
    return true;
  }

  [[maybe_unused]] const bool registered =
    register_kernels<2, double>() && register_kernels<2, float>() &&
    register_kernels<3, double>() && register_kernels<3, float>();
} // namespace
