// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_cpu_laplace_kernels_h
#define saltus_source_operators_cpu_laplace_kernels_h

// Kernels of the Laplace operator for one set of vector instructions.
#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/laplace_element.h>
#include <saltus/operators/laplace_tables.h>
#include <saltus/operators/robin_terms.h>
#include <saltus/operators/sparse_laplace_element.h>

namespace
{
  using namespace Saltus;

  /// Call @p work for the first of every so many elements of the range of @p mesh.
  template <typename Number, typename Work>
  void
  for_element_groups(const MeshArrays<Number> &mesh, const int width, const Work &work)
  {
    parallel_for(n_blocks(mesh.end - mesh.begin), [&](const int begin, const int end) {
      const int last = std::min(mesh.begin + end * block_size, mesh.end);
      for (int first = mesh.begin + begin * block_size; first < last; first += width)
        work(first);
    });
  }

  /// Exact integrals are compiled for these degrees, and not for registers of 16 bytes: compilers
  /// take their time.
  constexpr bool
  has_sparse_form(const int dim, const int degree)
  {
    return vector_bytes > 16 && degree <= (dim == 2 ? 6 : 4);
  }

  template <int dim, typename Number>
  class CpuKernels : public LaplaceKernels<dim, Number>
  {
  protected:
    static constexpr int width = vector_bytes / sizeof(Number);
    using T                    = Pack<Number, width>;

  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        using Tables = LaplaceTables<dim, Number>;
        const Tables tables(arg.tables);
        LaplaceElement<dim, T, Number, width, Tables>(arg, tables).run(first);
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

  template <int dim, typename Number, int degree>
  class SparseCpuKernels : public CpuKernels<dim, Number>
  {
    using Base = CpuKernels<dim, Number>;
    using Base::width;

    using Element = SparseLaplaceElement<dim,
                                         degree,
                                         typename Base::T,
                                         Number,
                                         width,
                                         FaceLoop::rolled,
                                         false,
                                         true>;

  public:
    void
    apply(const LaplaceArguments<Number> &arg) const override
    {
      if (arg.is_sparse())
        {
          for_element_groups(arg.mesh, width, [&](const int first) {
            Element(arg, entries).run(first);
          });
          if (arg.has_robin)
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
      return arg.is_sparse() && !arg.has_robin;
    }

    const char *
    fallback() const override
    {
      return nullptr;
    }

  private:
    StoredEntries<dim, degree, Number> entries;
  };

  template <int dim, typename Number, int degree = 1>
  LaplaceKernels<dim, Number> *
  make([[maybe_unused]] const ElementTables<Number> &tables, [[maybe_unused]] const int wanted)
  {
    if constexpr (has_sparse_form(dim, degree))
      return wanted == degree ? new SparseCpuKernels<dim, Number, degree>
                              : make<dim, Number, degree + 1>(tables, wanted);
    else
      return new CpuKernels<dim, Number>;
  }

  template <int dim, typename Number>
  bool
  register_laplace_kernels()
  {
    KernelRegistry<LaplaceKernels<dim, Number>>::cpu[SALTUS_ISA_LEVEL] = {&make<dim, Number>,
                                                                          1,
                                                                          max_laplace_degree(dim)};
    return true;
  }
} // namespace

#endif
