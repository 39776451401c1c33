// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_cpu_laplace_kernels_h
#define saltus_source_operators_cpu_laplace_kernels_h

// Kernels of the Laplace operator for one set of vector instructions.
#include <saltus/operators/laplace_element.h>
#include <saltus/operators/quadrature_tables.h>
#include <saltus/operators/robin_terms.h>
#include <saltus/operators/sparse_laplace_element.h>

#include "element_groups.h"

namespace
{
  using namespace Saltus;

  /// Exact integrals are compiled for these degrees, and not for registers of 16 bytes: compilers
  /// take their time.
  constexpr bool
  has_sparse_form(const int dim, const int degree)
  {
    return vector_bytes > 16 && degree <= (dim == 2 ? 6 : 4);
  }

  template <int dim, typename Number, int n_components>
  class CpuKernels : public LaplaceKernels<dim, Number, n_components>
  {
  protected:
    static constexpr int width = vector_bytes / sizeof(Number);
    using T                    = Pack<Number, width>;

  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        using Tables = QuadratureTables<dim, Number>;
        const Tables tables(arg.tables);
        for (int c = 0; c < n_components; ++c)
          LaplaceElement<dim, T, Number, width, Tables, n_components>(arg, tables, first, c).run();
      });
    }

    bool
    smooths(const LaplaceArguments<Number> &) const override
    {
      return false;
    }

    const char *
    fallback() const override
    {
      return vector_bytes > 16 ? "there is no sparse form of this degree"
                               : "there is no sparse form for processors without AVX2";
    }
  };

  template <int dim, typename Number, int n_components, int degree>
  class SparseCpuKernels : public CpuKernels<dim, Number, n_components>
  {
    using Base = CpuKernels<dim, Number, n_components>;
    using Base::width;

    using Element = SparseLaplaceElement<dim,
                                         degree,
                                         typename Base::T,
                                         Number,
                                         width,
                                         FaceLoop::rolled,
                                         false,
                                         n_components == 1,
                                         StoredEntries<dim, degree, Number>,
                                         ModesInMemory,
                                         ElementPart::all,
                                         n_components>;

  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      if (arg.is_sparse())
        {
          for_element_groups(arg.mesh, width, [&](const int first) {
            for (int c = 0; c < n_components; ++c)
              Element(arg, entries).run(first, c);
          });
          if (n_components == 1 && arg.has_robin)
            for_element_groups(arg.mesh, 1, [&](const int element) {
              add_robin_terms<dim>(arg, element);
            });
        }
      else
        Base::apply(arg);
    }

    bool
    smooths(const LaplaceArguments<Number> &arg) const override
    {
      return n_components == 1 && arg.is_sparse() && !arg.has_robin;
    }

    const char *
    fallback() const override
    {
      return nullptr;
    }

  private:
    StoredEntries<dim, degree, Number> entries;
  };

  template <int dim, typename Number, int n_components, int degree = 1>
  LaplaceKernels<dim, Number, n_components> *
  make([[maybe_unused]] const ElementTables<Number> &tables, [[maybe_unused]] const int wanted)
  {
    if constexpr (has_sparse_form(dim, degree))
      return wanted == degree ? new SparseCpuKernels<dim, Number, n_components, degree>
                              : make<dim, Number, n_components, degree + 1>(tables, wanted);
    else
      return new CpuKernels<dim, Number, n_components>;
  }

  template <int dim, typename Number, int n_components = 1>
  bool
  register_laplace_kernels()
  {
    KernelRegistry<LaplaceKernels<dim, Number, n_components>>::cpu[SALTUS_ISA_LEVEL] = {
      &make<dim, Number, n_components>, 1, max_laplace_degree(dim)};
    return true;
  }
} // namespace

#endif
